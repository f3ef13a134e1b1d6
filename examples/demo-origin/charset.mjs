// Text into Windows-1252, which Node can read but not write.

/** The bytes of `string`; what the code page lacks becomes a question mark. */
export function windows1252(string) {
  return Buffer.from([...string].map((character) => {
    const code = character.codePointAt(0);
    if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) return code;
    const at = UPPER.indexOf(character);
    return at === -1 ? 0x3f : 0x80 + at;
  }));
}

// 0x80 to 0x9f; a space where the code page has no character.
const UPPER = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

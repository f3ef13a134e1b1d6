// API keys are made in the browser and shown once: the definition holds their digest, and nothing else ever leaves.

/** `{ key, sha256 }`: 32 random bytes as base64url, and the digest of that text. */
export async function newKey() {
  const key = base64url(crypto.getRandomValues(new Uint8Array(32)));
  return { key, sha256: await digest(key) };
}

export async function digest(text) {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// The site's two style sheets. They name other files in every way CSS can.

/** `/assets/site.css`, which imports the palette. */
export function sheet(site) {
  return `@import "palette.css";
@import url("${site.absolute('/assets/type.css')}");

* { box-sizing: border-box }
body { margin: 0; color: var(--ink); background: var(--paper); font: 17px/1.6 var(--sans) }
main { max-width: 1080px; margin: 0 auto; padding: 0 28px 72px }
a { color: var(--moss) }
img { max-width: 100%; height: auto; display: block }
h1, h2, h3, .brand { font-family: var(--serif); font-weight: 500; line-height: 1.15; letter-spacing: -.01em }
h1 { font-size: 46px; margin: 44px 0 14px }
h2 { font-size: 28px; margin: 48px 0 16px }
code, pre { font-family: var(--mono); font-size: .86em }
code { background: #00000010; padding: .1em .35em; border-radius: 4px }
pre { background: var(--night); color: #f4ead8; padding: 18px 22px; border-radius: 12px; overflow: auto }

.masthead { display: flex; align-items: center; gap: 32px; padding: 18px 28px; color: #f4ead8;
  background: var(--night) url(${site.protocolRelative('/assets/pattern.svg')}) }
.masthead a { color: inherit; text-decoration: none }
.masthead nav { display: flex; gap: 26px; margin-left: auto; font-size: 16px }
.masthead nav a:hover { text-decoration: underline; text-underline-offset: 5px }
.brand { display: flex; align-items: center; gap: 12px; font-size: 24px }
.cart b { background: var(--ember); border-radius: 99px; padding: 1px 8px; font-size: 13px }

.hero { display: grid; grid-template-columns: 1.1fr 1fr; gap: 40px; align-items: center; margin: 36px 0 12px; color: #f4ead8;
  border-radius: 22px; padding: 48px; background-color: var(--moss); background-size: 48px 24px }
.hero h1 { margin: 0 0 14px } .hero p { margin: 0 0 24px; font-size: 19px; max-width: 34ch }
.hero img { border-radius: 14px }
.button, button { display: inline-block; border: 0; border-radius: 99px; padding: 11px 24px; background: var(--ember); color: #fff;
  font: 600 16px var(--sans); text-decoration: none; cursor: pointer }
button.quiet { background: #00000012; color: var(--ink) }

.shelf { display: grid; grid-template-columns: repeat(auto-fill, minmax(230px, 1fr)); gap: 26px; padding: 0; list-style: none }
.shelf img { border-radius: 14px; width: 100% }
.shelf a { color: inherit; text-decoration: none }
.shelf h3 { margin: 12px 0 0; font-size: 20px } .shelf p { margin: 0; color: var(--faint) }
.split { display: grid; grid-template-columns: 1.2fr 1fr; gap: 44px; align-items: start; margin-top: 36px }
.split h1 { margin-top: 8px }
.price { font: 500 26px var(--serif) }
.card { background: #fff; border: 1px solid #0000000f; border-radius: 16px; padding: 22px 26px; margin: 20px 0 }
.facts { width: 100%; border-collapse: collapse } .facts td, .facts th { text-align: left; padding: 9px 14px 9px 0; border-bottom: 1px solid #0000001a; vertical-align: top }
label { display: block; margin: 12px 0 4px } input { font: inherit; padding: 9px 13px; border: 1px solid #00000033; border-radius: 10px; width: 100%; max-width: 340px }
.story { min-height: 150px; font: 25px/1.5 var(--serif) }
.swatches { display: flex; gap: 12px } .swatches img { border-radius: 99px }
.swatches span { width: 48px; height: 48px; border-radius: 99px; background-size: cover }
footer { max-width: 1080px; margin: 0 auto; padding: 26px 28px 90px; border-top: 1px solid #0000001a; color: var(--faint); font-size: 15px }

#whereabouts { position: fixed; right: 18px; bottom: 18px; display: flex; gap: 11px; align-items: center; padding: 10px 18px 10px 15px;
  color: #fff; background: #1d2522; border-radius: 99px; box-shadow: 0 6px 22px #0004; font-size: 15px; line-height: 1.25 }
#whereabouts i { width: 12px; height: 12px; border-radius: 99px; background: #63c27f; box-shadow: 0 0 0 4px #63c27f33 }
#whereabouts.astray i { background: #e8604c; box-shadow: 0 0 0 4px #e8604c33 }
#whereabouts b { display: block; font-weight: 600 } #whereabouts small { color: #ffffffa8; font-size: 12.5px }
@media (max-width: 760px) { .hero, .split { grid-template-columns: 1fr } .masthead { flex-wrap: wrap } .masthead nav { margin: 0; flex-wrap: wrap; gap: 8px 20px } }
`;
}

/** `/assets/palette.css`, imported by a relative name. */
export const PALETTE = `:root { --ink: #23302b; --paper: #faf5ea; --night: #26403a; --moss: #3f6b4f; --ember: #b5623c; --faint: #6b746c }
`;

/** `/assets/type.css`, imported by its absolute address. */
export const TYPE = `:root { --serif: "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif; --sans: "Avenir Next", "Segoe UI", "Helvetica Neue", Arial, sans-serif; --mono: ui-monospace, Menlo, Consolas, monospace }
`;

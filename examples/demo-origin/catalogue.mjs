// What the shop sells, and what its journal says. Plain data, nothing else.

/** Everything on the shelves, in the order it is shown. Prices are in cents. */
export const PRODUCTS = [
  { slug: 'harbour-cup', name: 'Harbour cup', kind: 'cup', price: 2800, shade: '#2f6f73', note: 'Thrown stoneware in a grey-green glaze that pools at the rim.' },
  { slug: 'rooftop-pot', name: 'Rooftop pot', kind: 'pot', price: 8400, shade: '#b5533c', note: 'Half a litre, a spout that does not drip, a lid that stays on.' },
  { slug: 'night-train', name: 'Night Train', kind: 'tin', price: 1450, shade: '#3b3a5a', note: 'Smoked black tea, malt and a little orange peel. Eighty grams.' },
  { slug: 'moss-bowl', name: 'Moss bowl', kind: 'bowl', price: 4600, shade: '#6d7f3a', note: 'Wide and shallow, for whisking matcha or for three clementines.' },
  { slug: 'quiet-green', name: 'Quiet Green', kind: 'tin', price: 1250, shade: '#7c9a62', note: 'Spring sencha, steamed long, sweet and short of breath.' },
  { slug: 'ember-cup', name: 'Ember cup', kind: 'cup', price: 2800, shade: '#c9823e', note: 'The harbour cup’s sister, fired with ash from the kiln floor.' },
  { slug: 'weather-pot', name: 'Weather pot', kind: 'pot', price: 9200, shade: '#5b7d9c', note: 'A litre for long tables, in the blue of a day that may yet clear.' },
  { slug: 'salt-bowl', name: 'Salt bowl', kind: 'bowl', price: 3900, shade: '#a9a29a', note: 'Salt-fired and pitted like an orange. No two are alike.' },
];

/** The story the event stream tells, one word at a time. */
export const STORY = `The kettle is older than the shop. It came over the hill on a handcart, was mended twice,
and has been late to boil every morning since. We could replace it. Instead we open at nine past nine, and by then
the first pot is ready.`.split(/\s+/);

/** A letter kept in the encoding it was written in. */
export const LETTER = [
  'Chère maison de thé,',
  'Voilà l’été : les tasses « Ember » sont arrivées intactes, et le thé fumé — le nôtre — a déjà conquis la moitié du village.',
  'Le prix, 14,50 €, paraît élevé ; après la première gorgée, plus personne n’en parle. Nos hôtes réclament la théière bleue.',
  'À bientôt, Maëlys Œuvrard',
];

/** The product of that slug, or undefined. */
export function product(slug) {
  return PRODUCTS.find((candidate) => candidate.slug === slug);
}

/** `2800` as a visitor reads it. */
export function money(cents) {
  return `€\u00a0${(cents / 100).toFixed(2)}`;
}

// The shop's JSON API, below `/api`. It knows nothing of CORS.

import { json } from './answers.mjs';
import { PRODUCTS, product } from './catalogue.mjs';

/** The API with its own copy of the stock; what is added lives as long as the process. */
export function api() {
  const items = PRODUCTS.map(({ slug, name, price }) => ({ id: slug, name, price }));
  return async function answer(exchange) {
    const { request, site, url } = exchange;
    const shown = (item) => ({
      ...item,
      self: site.absolute(`/api/items/${item.id}`),
      ...(product(item.id) ? { page: site.absolute(`/products/${item.id}`) } : {}),
    });
    const [, , collection, id, ...rest] = url.pathname.split('/');
    const reading = request.method === 'GET' || request.method === 'HEAD';

    if (collection === 'seen' && id === undefined) {
      return json(exchange, { method: request.method, url: request.url, headers: pairs(request.rawHeaders), body: await exchange.body() });
    }
    if (collection !== 'items' || rest.length > 0) return json(exchange, { error: 'not_found' }, { status: 404 });
    if (id && reading) {
      const item = items.find((candidate) => candidate.id === id);
      return item ? json(exchange, shown(item)) : json(exchange, { error: 'no_such_item' }, { status: 404 });
    }
    if (id === undefined && reading) return json(exchange, { items: items.map(shown), next: site.protocolRelative('/api/items?page=2') });
    if (id === undefined && request.method === 'POST') {
      const item = newItem(await exchange.body(), items);
      if (!item) return json(exchange, { error: 'expected {"name": text, "price": whole number of cents}' }, { status: 400 });
      items.push(item);
      return json(exchange, shown(item), { status: 201, headers: { location: site.absolute(`/api/items/${item.id}`) } });
    }
    return json(exchange, { error: 'method_not_allowed' }, { status: 405, headers: { allow: id === undefined ? 'GET, POST' : 'GET' } });
  };
}

function newItem(body, items) {
  let value;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const fits = typeof value?.name === 'string' && value.name !== '' && Number.isInteger(value.price) && items.length < 200;
  return fits ? { id: `item-${items.length + 1}`, name: value.name, price: value.price } : undefined;
}

function pairs(raw) {
  return raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1]]] : []));
}

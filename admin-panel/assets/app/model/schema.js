// The document's JSON Schema, as `/api/meta` gives it: help, bounds, defaults and choices of every field come from there.

import { served } from '../i18n.js';

/** A reader of one schema. */
export class Schema {
  #definitions;

  constructor(schema) {
    this.#definitions = schema?.definitions ?? schema?.$defs ?? {};
  }

  has(name) {
    return Object.hasOwn(this.#definitions, name);
  }

  /** The node of `name.property`: its reference followed, what stands beside the reference kept. */
  field(name, property) {
    const node = this.#definitions[name]?.properties?.[property];
    return node === undefined ? undefined : { ...this.resolve(node), owner: name, property };
  }

  fields(name) {
    return Object.keys(this.#definitions[name]?.properties ?? {});
  }

  required(name) {
    return this.#definitions[name]?.required ?? [];
  }

  /** Follows a reference; `name` is the definition it leads to. */
  resolve(node) {
    if (typeof node !== 'object' || node === null) return {};
    const reference = node.$ref ?? (node.allOf?.length === 1 ? node.allOf[0].$ref : undefined);
    if (!reference) return node;
    const name = reference.split('/').at(-1);
    const { $ref, allOf, ...beside } = node;
    return { ...this.#definitions[name], ...beside, name };
  }

  /** The node a path of keys leads to, from the definition `root`; `undefined` where nobody knows it. */
  node(root, path) {
    let node = { ...this.#definitions[root], name: root };
    for (const key of path) {
      if (typeof key === 'number') node = this.resolve(node.items);
      else if (node.properties && Object.hasOwn(node.properties, key)) node = { ...this.resolve(node.properties[key]), owner: node.name, property: key };
      else if (typeof node.additionalProperties === 'object') node = this.resolve(node.additionalProperties);
      else if (node.anyOf) {
        const branch = node.anyOf.map((each) => this.resolve(each)).find((each) => each.properties && Object.hasOwn(each.properties, key));
        if (!branch) return undefined;
        node = this.resolve(branch.properties[key]);
      } else return undefined;
    }
    return node;
  }
}

/** The help of a field, in the person's language. */
export function help(node) {
  return served('help', `${node.owner}.${node.property}`, node.description);
}

/** What may be chosen: `[{ value, description }]`, or nothing where anything may be written. */
export function choices(node) {
  if (node.enum) return node.enum.map((value) => ({ value }));
  if (node.oneOf?.every((each) => 'const' in each)) return node.oneOf.map(({ const: value, description }) => ({ value, description }));
  return undefined;
}

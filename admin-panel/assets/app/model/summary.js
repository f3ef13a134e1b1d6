// A route in a line: what it takes and where that goes.

import { number, t, tn } from '../i18n.js';
import { isObject } from './definition.js';

/** `www.example.com/api` and what else must hold. */
export function takes(definition) {
  const match = isObject(definition?.match) ? definition.match : {};
  const where = `${text(match.host) || '*'}${text(match.path) || '/'}`;
  const methods = Array.isArray(match.methods) ? match.methods.filter((each) => typeof each === 'string').join(' ') : '';
  const conditions = ['headers', 'query', 'cookies'].reduce((sum, kind) => sum + (Array.isArray(match[kind]) ? match[kind].length : 0), 0);
  return { where, more: [methods, conditions > 0 ? tn('summary.conditions', conditions) : ''].filter(Boolean).join(' · ') };
}

/** Where it goes, and a word about how. */
export function goes(definition) {
  const { upstream, upstreams, trafficSplit, respond } = definition ?? {};
  if (isObject(respond)) {
    const { redirect } = respond;
    if (isObject(redirect)) return { where: `→ ${text(redirect.to)}`, how: t('summary.redirect', { status: redirect.status ?? 301 }) };
    return { where: t('summary.answer', { status: respond.status ?? '?' }), how: t('summary.atTheEdge') };
  }
  if (Array.isArray(upstreams)) return { where: upstreams.map(text).join(', '), how: tn('summary.failover', upstreams.length) };
  if (Array.isArray(trafficSplit)) {
    const total = trafficSplit.reduce((sum, each) => sum + (Number(each?.weight) || 0), 0) || 1;
    const parts = trafficSplit.map((each) => `${text(each?.upstream)} ${number(Math.round(((Number(each?.weight) || 0) / total) * 100))} %`);
    return { where: parts.join(', '), how: t('summary.split') };
  }
  if (typeof upstream === 'string') return { where: upstream, how: definition.scheme === 'http' ? 'http' : '' };
  return { where: t('summary.nowhere'), how: '' };
}

/** Everything of a route that a person may search by, in lower case. */
export function haystack({ id, definition, updatedBy }) {
  const { where, more } = takes(definition);
  return `${id} ${where} ${more} ${goes(definition).where} ${updatedBy ?? ''}`.toLowerCase();
}

function text(value) {
  return typeof value === 'string' ? value : '';
}

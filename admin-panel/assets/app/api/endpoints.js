// The API, one function an endpoint.

import { call } from './client.js';

const segment = encodeURIComponent;

export const me = () => call('GET', '/api/auth/me');
export const logout = () => call('POST', '/api/auth/logout', {});
export const meta = () => call('GET', '/api/meta');
export const schema = () => call('GET', '/api/schema');

export const routes = () => call('GET', '/api/routes');
export const putRoute = (id, route) => call('PUT', `/api/routes/${segment(id)}`, route);
export const deleteRoute = (id, expectedVersion) => call('DELETE', `/api/routes/${segment(id)}`, expectedVersion === undefined ? {} : { expectedVersion });
export const putOrder = (ids) => call('PUT', '/api/routes-order', { ids });
export const defaults = () => call('GET', '/api/defaults');
export const putDefaults = (value) => call('PUT', '/api/defaults', { defaults: value });

export const preview = () => call('GET', '/api/preview');
export const publish = (order) => call('POST', '/api/publish', order);
export const discard = () => call('POST', '/api/discard');
export const explain = (question) => call('POST', '/api/explain', question);
export const live = () => call('GET', '/api/live');

export const revisions = (limit, offset) => call('GET', `/api/revisions?limit=${limit}&offset=${offset}`);
export const compare = (from, to) => call('GET', `/api/revisions/diff?from=${from}&to=${to}`);
export const rollback = (order) => call('POST', '/api/revisions/rollback', order);
export const audit = (limit) => call('GET', `/api/audit?limit=${limit}`);
export const domains = () => call('GET', '/api/domains');

export const users = () => call('GET', '/api/users');
export const addUser = (user) => call('POST', '/api/users', user);
export const changeUser = (id, change) => call('PATCH', `/api/users/${segment(id)}`, change);
export const deleteUser = (id) => call('DELETE', `/api/users/${segment(id)}`);

export const tokens = () => call('GET', '/api/mcp-tokens');
export const addToken = (token) => call('POST', '/api/mcp-tokens', token);
export const revokeToken = (id, reason) => call('DELETE', `/api/mcp-tokens/${segment(id)}`, reason ? { reason } : {});

export const exportDocument = (source) => call('GET', `/api/export?source=${segment(source)}`);
export const importDocument = (order) => call('POST', '/api/import', order);

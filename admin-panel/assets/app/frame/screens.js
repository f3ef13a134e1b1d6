// Every screen there is: its address, its name in the navigation, who may see it.

import { Audit } from '../screens/audit.js';
import { Domains } from '../screens/domains.js';
import { History } from '../screens/history.js';
import { Live } from '../screens/live.js';
import { Publish } from '../screens/publish.js';
import { Routes } from '../screens/routes.js';
import { Tokens } from '../screens/tokens.js';
import { Transfer } from '../screens/transfer.js';
import { TryIt } from '../screens/try-it.js';
import { Users } from '../screens/users.js';
import { Editor } from '../editor/editor.js';

export const NAVIGATION = [
  { path: '/routes', key: 'nav.routes', view: Routes },
  { path: '/try', key: 'nav.try', view: TryIt },
  { path: '/publish', key: 'nav.publish', view: Publish },
  { path: '/history', key: 'nav.history', view: History },
  { path: '/live', key: 'nav.live', view: Live },
  { path: '/domains', key: 'nav.domains', view: Domains },
  { path: '/audit', key: 'nav.audit', view: Audit },
  { path: '/transfer', key: 'nav.transfer', view: Transfer },
  { path: '/users', key: 'nav.users', view: Users, admin: true },
  { path: '/tokens', key: 'nav.tokens', view: Tokens, admin: true },
];

/** The screen at a path: `{ view, props, path }`, `path` being the entry of the navigation it belongs to. */
export function screenAt(path) {
  if (path === '/' || path === '/index.html') return { view: Routes, props: {}, path: '/routes' };
  if (path === '/new-route') return { view: Editor, props: { key: 'new' }, path: '/routes' };
  const edited = /^\/route\/([^/]+)$/.exec(path);
  if (edited) {
    const id = decoded(edited[1]);
    return { view: Editor, props: { key: `route ${id}`, id }, path: '/routes' };
  }
  const found = NAVIGATION.find((entry) => entry.path === path);
  return found && { view: found.view, props: { key: path }, path, admin: found.admin };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

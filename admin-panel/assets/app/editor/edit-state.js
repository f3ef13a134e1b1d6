// One route being edited: form and JSON over one definition, kept in the browser until it is saved.

import * as api from '../api/endpoints.js';
import { jsonBytes } from '../format.js';
import { t } from '../i18n.js';
import { isObject, same } from '../model/definition.js';
import { parse } from '../model/json.js';
import { draftChanged } from '../state/data.js';
import { drop, readJson, write } from '../state/kept.js';
import { useEffect, useRef, useState } from '../view.js';

const NEW = { match: {} };

/**
 * `route` is what the server holds, or nothing for a new one; `from` is what a new one starts as. Returns
 * `{ id, enabled, definition, text, error, size, dirty, restored, behind, ... }` and the verbs.
 */
export function useEdit(route, from) {
  const key = `edit.${route ? `route.${route.id}` : 'new'}`;
  const [base, setBase] = useState(() => baseOf(route));
  const [edit, setEdit] = useState(() => start(key, route, from));
  const [restored, setRestored] = useState(edit.restoredAt);
  const parsed = edit.text === undefined ? { value: edit.definition } : parse(edit.text);
  const shape = !parsed.error && !isObject(parsed.value) ? { message: t('json.notObject'), line: 1, column: 1, position: 0 } : undefined;
  const error = parsed.error ?? shape;
  const dirty = Boolean(error) || edit.id !== base.id || edit.enabled !== base.enabled || !same(edit.definition, base.definition);
  const latest = useRef();
  latest.current = { edit, base, dirty };

  // What is typed survives a crash, a sign-out and a closed window.
  useEffect(() => {
    const { id, enabled, definition } = edit;
    if (dirty) write(key, JSON.stringify({ id, enabled, definition, text: error ? edit.text : undefined, version: base.version, at: Date.now() }));
    else drop(key);
  }, [edit, base]);
  // Untouched, the screen follows the server.
  useEffect(() => {
    if (route && !latest.current.dirty && route.version !== latest.current.base.version) reset(route);
  }, [route?.version]);

  function reset(to) {
    setBase(baseOf(to));
    setEdit({ id: to?.id ?? '', enabled: to?.enabled ?? true, definition: to?.definition ?? NEW, text: to?.corrupt ? '' : undefined });
    setRestored(undefined);
  }

  return {
    ...edit,
    base,
    error,
    dirty,
    restored,
    json: edit.text ?? JSON.stringify(edit.definition, null, 2),
    size: error ? 0 : jsonBytes(edit.definition),
    /** The server has moved on since these edits began. */
    behind: route !== undefined && dirty && route.version !== base.version,
    setId: (id) => setEdit((before) => ({ ...before, id })),
    setEnabled: (enabled) => setEdit((before) => ({ ...before, enabled })),
    change: (make) => setEdit((before) => ({ ...before, definition: make(before.definition), text: undefined })),
    type(text) {
      const { value } = parse(text);
      setEdit((before) => ({ ...before, text, definition: isObject(value) ? value : before.definition }));
    },
    format: () => setEdit((before) => ({ ...before, text: undefined })),
    dropText: () => setEdit((before) => ({ ...before, text: undefined })),
    revert: () => reset(route),
    /** Starts over from another version of the route; `keep` keeps what is typed. */
    rebase(to, keep) {
      if (keep) setBase(baseOf(to));
      else reset(to);
    },
    async save(expectedVersion) {
      const { edit: now, base: since } = latest.current;
      const sent = { definition: now.definition, enabled: now.enabled };
      const result = await api.putRoute(now.id, { ...sent, expectedVersion: expectedVersion ?? since.version });
      if (result.ok) {
        drop(key);
        setBase({ id: now.id, version: result.value.version, ...sent });
        setRestored(undefined);
        await draftChanged();
      }
      return result;
    },
    forget: () => drop(key),
  };
}

function baseOf(route) {
  if (!route) return { id: '', version: 0, enabled: true, definition: NEW };
  return { id: route.id, version: route.version, enabled: route.enabled, definition: route.definition ?? NEW };
}

function start(key, route, from) {
  const kept = readJson(key);
  // A duplicate is asked for anew; older edits of another new route would be in its way.
  if (kept && isObject(kept.definition) && !from) {
    const { id = '', enabled, definition, text, at } = kept;
    return { id: String(id), enabled: enabled !== false, definition, text: typeof text === 'string' ? text : undefined, restoredAt: at };
  }
  if (from) return { id: from.id, enabled: from.enabled, definition: from.definition };
  if (route?.corrupt) return { id: route.id, enabled: route.enabled, definition: NEW, text: '' };
  return { id: route?.id ?? '', enabled: route?.enabled ?? true, definition: route?.definition ?? NEW, text: undefined };
}

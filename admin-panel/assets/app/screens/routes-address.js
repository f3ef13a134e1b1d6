// Finding routes by the address they would take: the server's own matcher is asked, there is no second one here.

import * as api from '../api/endpoints.js';
import { t } from '../i18n.js';
import { question } from '../model/curl.js';
import { Link } from '../ui/button.js';
import { Note, failureText } from '../ui/states.js';
import { html, useEffect, useState } from '../view.js';

/** Whether a filter is an address or a curl line rather than words. */
export function looksLikeAddress(text) {
  return /^\s*(https?:\/\/\S|curl\s)/i.test(text);
}

const NOTHING = { ids: undefined, taken: undefined };

/** `{ ids, taken, asking, failure }`: which routes the draft would hand the address to, first the one that gets it. */
export function useAddress(text, list) {
  const [answer, setAnswer] = useState(NOTHING);
  useEffect(() => {
    const asked = text && question(text);
    if (!asked?.url) {
      setAnswer(NOTHING);
      return undefined;
    }
    let stale = false;
    setAnswer((before) => ({ ...before, asking: true }));
    const timer = setTimeout(async () => {
      const result = await api.explain({ ...asked, in: 'draft' });
      if (stale) return;
      if (!result.ok) {
        setAnswer({ ...NOTHING, failure: result });
        return;
      }
      const taken = result.value.taken?.route;
      const others = (result.value.others ?? []).map(({ route }) => route);
      setAnswer({ taken, ids: new Set([taken, ...others].filter((id) => id !== undefined)) });
    }, TYPING_MS);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [text, list]);
  return answer;
}

export function AddressAnswer({ answer }) {
  const { taken, ids, asking, failure } = answer;
  if (failure) return html`<${Note} kind="warn">${failure.error === 'compile_failed' ? t('address.blocked') : failureText(failure)}<//>`;
  if (asking || ids === undefined) return html`<${Note}>${t('address.asking')}<//>`;
  if (taken === undefined) return html`<${Note} kind="warn">${t('address.none')} <${Link} to="/try">${t('address.why')}<//><//>`;
  return html`<${Note} kind="check">${t('address.taken')} <code>${taken}</code>${ids.size > 1 ? ` ${t('address.others')}` : ''}<//>`;
}

const TYPING_MS = 250;

// A button that copies a text, and says that it did.

import { t } from '../i18n.js';
import { html, useEffect, useState } from '../view.js';
import { tellFailed } from '../state/notices.js';
import { Button } from './button.js';

export function Copy({ text, label, small = true, onCopied }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    const timer = setTimeout(() => setDone(false), 2500);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      onCopied?.();
    } catch {
      tellFailed(t('copy.failed'));
    }
  };
  return html`<${Button} icon=${done ? 'check' : 'copy'} small=${small} onClick=${copy}>
    <span aria-live="polite">${done ? t('copy.done') : (label ?? t('copy.copy'))}</span><//>`;
}

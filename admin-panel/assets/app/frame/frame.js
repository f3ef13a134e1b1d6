// What stands around every screen: the bar at the top, the publish bar at the bottom, notices. A screen that crashes takes
// nothing else with it.

import { busy } from '../api/client.js';
import { language, LANGUAGES, theme, THEMES } from '../state/settings.js';
import { meta, preview } from '../state/data.js';
import { forgetEverything } from '../state/remote.js';
import { isAdmin, session, signOut } from '../state/session.js';
import { tellFailed } from '../state/notices.js';
import { place } from '../router.js';
import { t } from '../i18n.js';
import { Button, Link } from '../ui/button.js';
import { Copy } from '../ui/copy.js';
import { Menu } from '../ui/menu.js';
import { Notices } from '../ui/notices.js';
import { Note, failureText } from '../ui/states.js';
import { Screen } from '../ui/pieces.js';
import { html, useEffect, useErrorBoundary, useRef } from '../view.js';
import { PublishBar } from './publish-bar.js';
import { NAVIGATION, screenAt } from './screens.js';

export function Frame() {
  const { path } = place.value;
  const found = screenAt(path);
  const main = useRef();
  const first = useRef(true);
  useEffect(() => {
    meta.need();
    preview.need();
  });
  // After going somewhere the screen's heading has the focus, so that a screen reader says where we are.
  useEffect(() => {
    const heading = main.current.querySelector('h1');
    document.title = heading ? `${heading.textContent} – jouska` : 'jouska';
    if (!first.current && !main.current.contains(document.activeElement)) heading?.focus({ preventScroll: true });
    first.current = false;
  }, [path, language.value]);
  return html`<div class="frame">
    <a class="skip" href="#content" onClick=${(event) => {
      event.preventDefault();
      main.current.focus();
    }}>${t('skip')}</a>
    <div class=${busy.value ? 'progress on' : 'progress'} aria-hidden="true"></div>
    <${TopBar} current=${found?.path} />
    <main id="content" tabindex="-1" ref=${main}><${Guarded} key=${path}>
      ${!found ? html`<${NotFound} />` : found.admin && !isAdmin.value ? html`<${NeedsAdmin} />` : html`<${found.view} ...${found.props} />`}
    <//></main>
    <${PublishBar} />
    <${Notices} />
  </div>`;
}

function TopBar({ current }) {
  const entries = NAVIGATION.filter(({ admin }) => !admin || isAdmin.value);
  return html`<header class="top">
    <${Link} to="/routes" class="name">jouska<//>
    <nav class="nav-wide" aria-label=${t('nav')}>${entries.map(({ path, key }) => html`<${Link} key=${path} to=${path}
      aria-current=${path === current ? 'page' : undefined}>${t(key)}<//>`)}</nav>
    <div class="nav-narrow"><${Menu} icon="menu" label=${t('nav')} text=${t(entries.find(({ path }) => path === current)?.key ?? 'nav')}
      items=${entries.map(({ path, key }) => ({ to: path, label: t(key), ticked: path === current ? true : undefined }))} /></div>
    <${Account} />
  </header>`;
}

function Account() {
  const { user, build } = session.value;
  const out = async () => {
    const result = await signOut();
    if (!result.ok) tellFailed(failureText(result));
  };
  return html`<div class="account"><${Menu} icon="user" label=${t('account')} items=${[
    { title: html`<span class="mono">${user.subject}</span><br />${t(`role.${user.role === 'admin' ? 'admin' : 'viewer'}`)}` },
    { title: t('theme') },
    ...THEMES.map((name) => ({ label: t(`theme.${name}`), ticked: theme.value === name, onClick: () => { theme.value = name; } })),
    { title: t('language') },
    ...LANGUAGES.map((name) => ({ label: t(`language.${name}`), ticked: language.value === name, onClick: () => { language.value = name; } })),
    { title: html`${t('build')} <span class="mono">${build ?? '–'}</span>` },
    { label: t('signOut'), onClick: out },
  ]} /></div>`;
}

/** A crash inside stays inside. */
function Guarded({ children }) {
  // What made it crash may be what was answered: it is asked for again.
  const [crash, again] = useErrorBoundary(() => {
    forgetEverything();
    meta.refresh();
    preview.refresh();
  });
  const { build } = session.value;
  if (!crash) return children;
  const details = `${crash?.stack ?? crash}\n${location.pathname}\n${t('build')} ${build ?? '–'}`;
  return html`<${Screen} title=${t('crash.title')}>
    <${Note} kind="stop" role="alert">${t('crash.text')}<//>
    <div class="actions"><${Button} icon="refresh" onClick=${again}>${t('crash.again')}<//>
      <${Copy} text=${details} label=${t('crash.copy')} small=${false} /></div>
    <pre class="value" tabindex="0">${details}</pre>
  <//>`;
}

function NotFound() {
  return html`<${Screen} title=${t('notFound.title')}><p>${t('notFound.text')}</p><${Link} to="/routes" button="plain">${t('nav.routes')}<//><//>`;
}

function NeedsAdmin() {
  return html`<${Screen} title=${t('needsAdmin.title')}><p>${t('needsAdmin.text')}</p><//>`;
}

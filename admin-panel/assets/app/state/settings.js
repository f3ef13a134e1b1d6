// What a person prefers: theme and language, kept in this browser.

import { effect, signal } from '../view.js';
import { drop, read, write } from './kept.js';

export const THEMES = ['system', 'light', 'dark'];
export const LANGUAGES = ['en', 'zh'];

export const theme = signal(THEMES.includes(read('theme')) ? read('theme') : 'system');
export const language = signal(LANGUAGES.includes(read('language')) ? read('language') : 'en');

effect(() => {
  if (theme.value === 'system') {
    delete document.documentElement.dataset.theme;
    drop('theme');
  } else {
    document.documentElement.dataset.theme = theme.value;
    write('theme', theme.value);
  }
});

effect(() => {
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
  write('language', language.value);
});

/** Whether every field of the editor is explained. */
export const explained = signal(read('explained') !== 'no');

effect(() => {
  write('explained', explained.value ? 'yes' : 'no');
});

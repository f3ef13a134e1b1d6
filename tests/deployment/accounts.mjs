// Plays the steps that change the panel's database on a local one, with the real migrations and the real D1: migrating,
// opening and closing the provision window, resetting the accounts.
//
//   node tests/deployment/accounts.mjs --xtask PROGRAM

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { suite } from '../streams/suite.mjs';

const { values: options } = parseArgs({ options: { xtask: { type: 'string' } } });
if (!options.xtask) throw new Error('--xtask is missing: the built program of `cargo xtask`.');

const WRANGLER = fileURLToPath(new URL('local-wrangler.mjs', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

suite(async ({ rule, later }) => {
  const folder = mkdtempSync(join(tmpdir(), 'jouska-accounts-'));
  later(() => rmSync(folder, { recursive: true }));
  const env = { ...process.env, LOCAL_DATABASE: folder, CARGO_MANIFEST_DIR: join(ROOT, 'xtask'), JOUSKA_WRANGLER: WRANGLER };

  const run = (program, words, more = {}) => {
    const { status, stdout, stderr } = spawnSync(program, words, { cwd: ROOT, env: { ...env, ...more }, encoding: 'utf8' });
    assert.equal(status, 0, `${words.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  const xtask = (line, more) => run(options.xtask, line.split(' '), more);
  const database = (sql) => {
    const printed = run(WRANGLER, ['d1', 'execute', 'jouska-admin', '--remote', '--json', '--config', 'admin-panel/wrangler.toml', '--command', sql]);
    return JSON.parse(printed)[0].results;
  };
  const window = () => database("SELECT value FROM settings WHERE key = 'provision_window'").map((row) => JSON.parse(row.value));
  const user = (subject, role, disabled) => `INSERT INTO users (subject, role, disabled, created_at) VALUES ('${subject}', '${role}', ${disabled}, 1)`;

  await rule('migrating twice is migrating once', () => {
    xtask('deploy migrate');
    xtask('deploy migrate');
    assert.deepEqual(database('SELECT subject FROM users'), []);
  });

  await rule('a panel without an enabled administrator gets a window of seven days', () => {
    database(`${user('viewer@example.com', 'viewer', 0)}; ${user('gone@example.com', 'admin', 1)}`);
    xtask('deploy window');
    const [{ deadline }] = window();
    const days = (deadline - Date.now() / 1000) / 86_400;
    assert.ok(days > 6.99 && days <= 7, `${days} days`);
    xtask('deploy window');
    assert.equal(window().length, 1);
  });

  await rule('an enabled administrator closes it', () => {
    database(user('ann@example.com', 'admin', 0));
    xtask('deploy window');
    assert.deepEqual(window(), []);
  });

  await rule('a reset removes people and tokens, and records how many', () => {
    database("INSERT INTO settings (key, value) VALUES ('revision', '7')");
    database(`INSERT INTO mcp_tokens (id, token_hash, token_prefix, name, owner_user_id, issued_by_user_id, scopes, created_at, expires_at)
      VALUES ('t', 'h', 'p', 'agent', 3, 3, '[]', 1, 2)`);
    const said = xtask('reset list');
    assert.match(said, /ann@example\.com \(admin\)/);
    assert.match(said, /gone@example\.com \(admin, disabled\)/);
    assert.match(said, /3 users and 1 MCP tokens/);
    xtask('reset remove');
    xtask('reset verify');
    xtask('reset record', { REMOVED_USERS: '3', REMOVED_TOKENS: '1' });
    assert.deepEqual(database('SELECT (SELECT COUNT(*) FROM users) AS users, (SELECT COUNT(*) FROM mcp_tokens) AS tokens'), [{ users: 0, tokens: 0 }]);
    const [line] = database('SELECT actor, action, target, detail, at FROM audit_log');
    assert.deepEqual({ ...line, at: undefined }, {
      actor: 'workflow:admin-reset', action: 'users.reset', target: null, detail: '{"users":3,"tokens":1}', at: undefined,
    });
    assert.ok(Math.abs(line.at - Date.now() / 1000) < 120);
    assert.deepEqual(database("SELECT value FROM settings WHERE key = 'revision'"), [{ value: '7' }]);
  });
});

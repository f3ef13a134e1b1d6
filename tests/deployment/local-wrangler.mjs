#!/usr/bin/env node
// Stands in for wrangler: whatever is asked of the remote database is done to a local one, in the folder LOCAL_DATABASE.

import { spawnSync } from 'node:child_process';

const words = process.argv.slice(2);
const remote = words.indexOf('--remote');
if (words[0] !== 'd1' || remote === -1) throw new Error(`only a remote database is stood in for, not: wrangler ${words.join(' ')}`);
words.splice(remote, 1, '--local', '--persist-to', process.env.LOCAL_DATABASE);
process.exit(spawnSync('wrangler', words, { stdio: 'inherit' }).status ?? 1);

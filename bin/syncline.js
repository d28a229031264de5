#!/usr/bin/env node
// Plain JavaScript, so that starting does not load the TypeScript stripper (30 MB): with the compile cache on before the
// first .ts file is asked for, every start but the first finds all of them stripped and compiled.
//
// Until the version of Node is known, nothing is asked of it that an old one lacks: it would answer with a stack, and not in words.
import { existsSync, readFileSync } from 'node:fs';
import * as modules from 'node:module';

// Keeps the young generation from growing for minutes under load: memory is then the same after 40,000 orders and after 200,000, and no
// slower. `npm start` and the image give it. It is not in the first line, as `env` of BusyBox (Alpine) and of older systems takes no options for
// Node there; and it counts only from the start of the process, so the service takes the place of the process that was started without.
const FLAG = '--max-semi-space-size=16';
// How many pools of memory the C library of Linux (glibc) keeps for all threads together. It would make one for each of them, and what is free in
// one is of no use to the others: four megabytes of an idle service, and more of one that works. It counts from the start of the process, too.
const POOLS = { MALLOC_ARENA_MAX: '2' };

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
if (isOlder(process.versions.node, needed)) {
  console.error(
    `Syncline needs Node.js ${needed} or newer, and this is ${process.versions.node} (${process.execPath}).\n` +
      'In a clone of the repository, run `npm start` once: it brings one. Elsewhere install a newer one (https://nodejs.org/en/download), and start Syncline again.',
  );
  process.exit(1);
}
const isService = process.argv[2] === 'start';
const hasFlag = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((given) => given.includes('--max-semi-space-size'));
const hasPools = process.platform !== 'linux' || process.env.MALLOC_ARENA_MAX !== undefined;
// Windows cannot do that; there the service runs as it was started.
if (isService && !(hasFlag && hasPools) && process.platform !== 'win32') {
  const flags = hasFlag ? process.execArgv : [FLAG, ...process.execArgv];
  process.execve(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], { ...POOLS, ...process.env });
}

if (isService && ['npx', 'start'].includes(process.env.npm_lifecycle_event)) stopWithParent();

modules.enableCompileCache();
// Names are looked up by half of these threads, and one whose servers are silent keeps one of them for ten seconds and more. More threads
// take more memory: 16 of them took 50 MB more.
process.env.UV_THREADPOOL_SIZE ??= '6';
const source = new URL('../src/main.ts', import.meta.url);
await import(existsSync(source) ? source.href : '../dist/src/main.js');

function isOlder(version, than) {
  const [one, other] = [version, than].map((text) => text.split('.').map(Number));
  return one[0] < other[0] || (one[0] === other[0] && one[1] < (other[1] ?? 0));
}

// A signal to npm ends the shell between npm and us, and npm itself: the service would go on alone, with its port and its database.
function stopWithParent() {
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

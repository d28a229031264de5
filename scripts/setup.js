// Runs before `npm start` and `npm test`, on whatever Node is there: installs the dependencies, the pinned Node among
// them, when they are missing or older than the lock file.
import { execSync } from 'node:child_process';
import { existsSync, statSync, utimesSync } from 'node:fs';

const root = new URL('..', import.meta.url);
const installed = new URL('node_modules/.package-lock.json', root);
const locked = new URL('package-lock.json', root);

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(locked).mtimeMs) {
  console.error('Installing dependencies (once)…');
  // Not `npm ci`: the lock file does not name the optional binaries for every platform, which `ci` takes for a fault.
  execSync('npm install --no-save --no-audit --no-fund --loglevel=error', { cwd: root, stdio: ['ignore', 2, 2] });
  utimesSync(installed, new Date(), new Date());
}

// Runs before `npm start` and `npm test`, on whatever Node is there: installs the dependencies, the pinned Node among
// them, when they are missing or older than the lock file.
import { execSync, spawnSync } from 'node:child_process';
import { existsSync, statSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const installed = new URL('node_modules/.package-lock.json', root);
const locked = new URL('package-lock.json', root);

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(locked).mtimeMs) {
  console.error('Installing dependencies (once)…');
  // Not `npm ci`: the lock file does not name the optional binaries for every platform, which `ci` takes for a fault.
  execSync('npm install --no-save --no-audit --no-fund --loglevel=error', { cwd: root, stdio: ['ignore', 2, 2] });
  utimesSync(installed, new Date(), new Date());
  demandLibraries();
}

/** The pinned Node asks for one library that the smallest of systems lack. */
function demandLibraries() {
  const { stderr } = spawnSync(fileURLToPath(new URL('node_modules/node/bin/node', root)), ['--version'], { encoding: 'utf8' });
  if (!stderr?.includes('libatomic')) return;
  try {
    console.error('The library libatomic is not on this machine: installing it…');
    execSync('apt-get update -qq && apt-get install -y -qq --no-install-recommends libatomic1', { stdio: ['ignore', 'ignore', 2] });
  } catch {
    console.error(
      'The Node of this project needs the library libatomic. Install it (on Debian: apt-get install libatomic1), then start again.',
    );
    process.exit(1);
  }
}

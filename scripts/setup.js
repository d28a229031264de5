// Runs before `npm start` and `npm test`, on whatever Node is there: installs the dependencies, the pinned Node among
// them, when they are missing or older than the lock file, and builds the dashboard when it is missing or older than its
// sources.
import { execSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
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

const dashboard = fileURLToPath(new URL('dashboard/', root));
const built = join(dashboard, 'dist', 'index.html');
if (!existsSync(built) || statSync(built).mtimeMs < Math.max(statSync(locked).mtimeMs, newestBelow(dashboard))) buildDashboard();

/** When something in a folder was last changed; what is built is not looked at. */
function newestBelow(folder) {
  const times = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    if (entry.name === 'dist' || entry.name.endsWith('.md')) return 0;
    const path = join(folder, entry.name);
    return entry.isDirectory() ? newestBelow(path) : statSync(path).mtimeMs;
  });
  return Math.max(0, ...times);
}

/** Without the page the service is whole: the API works, and `/` says what is missing. */
function buildDashboard() {
  console.error('Building the dashboard…');
  const vite = ['node_modules/vite/bin/vite.js', 'build', 'dashboard', '--logLevel', 'warn'];
  const node = fileURLToPath(new URL('node_modules/node/bin/node', root));
  const { status } = spawnSync(node, vite, { cwd: fileURLToPath(root), stdio: ['ignore', 2, 2] });
  if (status !== 0) console.error('The dashboard could not be built (see above). Everything else works without it.');
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

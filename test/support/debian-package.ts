import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Test files run side by side, and several may come to install something, the same thing too. apt-get alone does not keep them apart: one that
// is done tidies away what another is fetching.
const LOCK = join(tmpdir(), 'syncline-installs');
const INSTALL = `
  [ "$(dpkg-query -W -f '\${Status}' "$1" 2>/dev/null)" = 'install ok installed' ] && exit
  apt-get -qq -o DPkg::Lock::Timeout=300 update &&
  apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$1"`;

/** Installs a package of Debian, as root; throws the words of `needed` when that is not possible. */
export function installPackage(name: string, needed: string): void {
  console.error(`${name} is not on this machine: installing it…`);
  try {
    execFileSync('flock', [LOCK, 'sh', '-c', INSTALL, 'sh', name], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch (error) {
    throw new Error(needed, { cause: error });
  }
}

import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';

/** Installs a package of Debian, as root; throws the words of `needed` when that is not possible. */
export function installPackage(name: string, needed: string): void {
  console.error(`${name} is not on this machine: installing it…`);
  const options: ExecFileSyncOptions = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  // Test files run side by side, and two of them may come to install something.
  const patiently = ['-o', 'DPkg::Lock::Timeout=300', '-qq'];
  try {
    execFileSync('apt-get', [...patiently, 'update'], options);
    execFileSync('apt-get', [...patiently, 'install', '-y', '--no-install-recommends', name], options);
  } catch (error) {
    throw new Error(needed, { cause: error });
  }
}

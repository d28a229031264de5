import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { installPackage } from './debian-package.ts';
import { freePort } from './postgres-server.ts';
import { until } from './until.ts';

export interface SshServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Keys that let the user in, in the format of OpenSSH. */
  readonly keys: Readonly<Record<'ed25519' | 'ecdsa' | 'rsa', string>>;
  /** A key in PEM, encrypted, and its passphrase. */
  readonly encrypted: { readonly key: string; readonly passphrase: string };
  /** A key in the format of OpenSSH, encrypted, and its passphrase. */
  readonly locked: { readonly key: string; readonly passphrase: string };
  /** Its own keys, by name. */
  readonly hostKeys: Readonly<Record<string, { readonly line: string; readonly fingerprint: string }>>;
  /** The fingerprint of its own key, the best if there are several. */
  readonly fingerprint: string;
  /** A folder for files. */
  readonly folder: string;
  /** Ends all connections that there are. */
  cut(): void;
  stop(): void;
}

const PROGRAM = '/usr/sbin/sshd';

interface MadeKeys extends Pick<SshServer, 'keys' | 'encrypted' | 'locked' | 'fingerprint'> {
  readonly home: string;
}

const HOST_KEYS = {
  rsa: ['-t', 'rsa', '-b', '2048'],
  ecdsa256: ['-t', 'ecdsa', '-b', '256'],
  ecdsa384: ['-t', 'ecdsa', '-b', '384'],
  ecdsa521: ['-t', 'ecdsa', '-b', '521'],
} as const;

/** What there is to know of a public key in a file. */
function publicKey(path: string): { line: string; fingerprint: string } {
  const fingerprint = execFileSync('ssh-keygen', ['-l', '-f', path], { encoding: 'utf8' }).split(' ')[1] ?? '';
  return { line: readFileSync(path, 'utf8').trim(), fingerprint };
}

// Making them takes a while: all servers of a test file have the same.
let made: MadeKeys | undefined;

function makeKeys(): MadeKeys {
  const home = mkdtempSync(join(tmpdir(), 'syncline-ssh-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const makeKey = (name: string, ...options: string[]): string => {
    execFileSync('ssh-keygen', ['-q', '-C', name, '-f', join(home, name), ...options]);
    return readFileSync(join(home, name), 'utf8');
  };
  makeKey('host', '-t', 'ed25519', '-N', '');
  const keys = {
    ed25519: makeKey('ed25519', '-t', 'ed25519', '-N', ''),
    ecdsa: makeKey('ecdsa', '-t', 'ecdsa', '-b', '384', '-N', ''),
    rsa: makeKey('rsa', '-t', 'rsa', '-b', '2048', '-N', ''),
  };
  const passphrase = 'open sesame';
  const encrypted = { key: makeKey('encrypted', '-t', 'ecdsa', '-m', 'PKCS8', '-N', passphrase), passphrase };
  const locked = { key: makeKey('locked', '-t', 'ed25519', '-a', '4', '-N', passphrase), passphrase };
  const names = [...Object.keys(keys), 'encrypted', 'locked'];
  writeFileSync(join(home, 'authorized'), names.map((name) => readFileSync(join(home, `${name}.pub`), 'utf8')).join(''));
  const { fingerprint } = publicKey(join(home, 'host.pub'));
  return { home, keys, encrypted, locked, fingerprint };
}

/**
 * Debian's OpenSSH server on a free port, for the user that runs the tests. `settings` are lines of its configuration, `more` are host keys that it has besides
 * its own.
 */
export async function startSsh(settings: readonly string[] = [], more: readonly (keyof typeof HOST_KEYS)[] = []): Promise<SshServer> {
  if (!existsSync(PROGRAM)) installPackage('openssh-server', 'The tests of SFTP need OpenSSH: install the Debian package openssh-server.');
  const { home, keys, encrypted, locked, fingerprint } = (made ??= makeKeys());
  for (const name of more)
    if (!existsSync(join(home, name))) execFileSync('ssh-keygen', ['-q', '-N', '', '-f', join(home, name), ...HOST_KEYS[name]]);
  const own = ['host', ...more];
  const hostKeys = Object.fromEntries(own.map((name) => [name, publicKey(join(home, `${name}.pub`))]));
  const folder = mkdtempSync(join(tmpdir(), 'syncline-sftp-'));
  const port = await freePort();
  const lines = [
    // The first setting counts.
    ...settings,
    ...own.map((name) => `HostKey ${join(home, name)}`),
    `AuthorizedKeysFile ${join(home, 'authorized')}`,
    'StrictModes no',
    'PasswordAuthentication no',
    'UsePAM no',
    `PidFile ${join(folder, '.pid')}`,
    'MaxStartups 100',
    `Subsystem sftp internal-sftp -d ${folder}`,
  ];
  const config = join(home, `config-${port}`);
  writeFileSync(config, `${lines.join('\n')}\n`);
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const server: ChildProcess = spawn(PROGRAM, ['-D', '-e', '-f', config, '-p', String(port), '-o', 'ListenAddress=127.0.0.1'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr?.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const children = (): number[] => {
    try {
      return readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  };
  const cut = (): void => {
    for (const child of children()) {
      try {
        process.kill(child, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  };
  const stop = (): void => {
    cut();
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  // Also when something else fails and nobody gets to stop it.
  process.setMaxListeners(100).once('exit', stop);
  await until('sshd to answer', async () => {
    if (server.exitCode !== null) throw new Error(`sshd ended: ${said}`);
    return new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
  });
  return {
    host: '127.0.0.1',
    port,
    user: userInfo().username,
    keys,
    encrypted,
    locked,
    hostKeys,
    fingerprint,
    folder,
    cut,
    stop,
  };
}

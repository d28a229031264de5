import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installPackage } from './debian-package.ts';
import { freePort } from './postgres-server.ts';

export interface S3Server {
  endpoint: string;
  /** The keys that it knows. */
  keys: { access_key_id: string; secret_access_key: string };
  stop(): void;
}

// Debian's Python, whichever else is on the path.
const PYTHON = '/usr/bin/python3';

/** A real S3 API of one's own: Debian's Swift, with all its servers in one process and objects in memory. */
export async function startS3(): Promise<S3Server> {
  if (!existsSync(PYTHON) || spawnSync(PYTHON, ['-c', 'import swift']).status !== 0)
    installPackage('python3-swift', 'The tests of S3 need Swift: install the Debian package python3-swift.');
  const folder = mkdtempSync(join(tmpdir(), 'syncline-s3-'));
  const port = await freePort();
  const backends = await Promise.all([freePort(), freePort(), freePort()]);
  const [key, secret] = ['test:tester', 'testing'];
  const program = new URL('./s3-server.py', import.meta.url).pathname;
  const server: ChildProcess = spawn(PYTHON, [program, folder, String(port), backends.join(','), key, secret], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = (): void => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  // Also when something else fails and nobody gets to stop it.
  process.once('exit', stop);
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) if (line === 'ready') break;
  if (server.exitCode !== null) throw new Error(`Swift ended with ${server.exitCode}.`);
  return { endpoint: `http://127.0.0.1:${port}`, keys: { access_key_id: key, secret_access_key: secret }, stop };
}

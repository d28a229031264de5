import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/support/postgres-server.ts';
import { atEnd } from './cleanup.ts';

const START_LIMIT = 30_000;
const STOP_LIMIT = 30_000;

export interface Contender {
  url: string;
  pid: number;
  /** Milliseconds from the start of the process to its first 200 on /readyz. */
  readyAfter: number;
  stop(): Promise<void>;
}

/** Runs a program of this repository on a free port and waits until it answers. */
export async function startContender(program: URL, environment: Record<string, string> = {}, args: string[] = []): Promise<Contender> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const { child, stop } = startProcess(program, args, { PORT: String(port), ...environment }, ['ignore', 'pipe', 'pipe']);
  while (!(await isReady(url))) {
    if (hasEnded(child)) throw new Error(`${program.pathname} did not start.`);
    if (performance.now() - started > START_LIMIT) throw new Error(`${program.pathname} is not ready after ${START_LIMIT} ms.`);
    await sleep(5);
  }
  return { url, pid: child.pid ?? 0, readyAfter: performance.now() - started, stop };
}

/** Starts a process that ends with this one at the latest. */
export function startProcess(program: URL, args: readonly string[], environment: Record<string, string>, stdio: StdioOptions) {
  // In a group of its own: Ctrl-C is for us, who then stop everything in order.
  const child = spawn(process.execPath, [fileURLToPath(program), ...args], {
    env: { ...inherited(), ...environment },
    stdio,
    detached: true,
  });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString().replace(/slk_\w+/g, 'slk_…')).slice(-4000);
    });
  }
  let wanted = true;
  child.once('exit', (code, signal) => {
    if (wanted) console.error(`${program.pathname} ended on its own (${signal ?? `exit code ${code}`}). It said last:\n${words}`);
  });
  const killNow = (): boolean => child.kill('SIGKILL');
  process.once('exit', killNow);
  child.once('exit', () => process.removeListener('exit', killNow));
  const stop = (): Promise<void> => {
    wanted = false;
    return end(child);
  };
  atEnd(stop);
  return { child, stop };
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(limit);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** The caller's environment without what would change a contender's settings. */
function inherited(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SYNCLINE_') && !['DATABASE_URL', 'HOST', 'PORT', 'LOG_LEVEL'].includes(name),
  );
  return Object.fromEntries(entries);
}

/** A folder that is gone at the end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-bench-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The memory of a process that is in RAM, in MB; undefined where the system does not tell. */
export function residentMegabytes(pid: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}

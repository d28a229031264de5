import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { adminKeyFile } from '../../src/keys/admin-key.ts';
import type { Place } from './databases.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/syncline.js', import.meta.url));
const PATIENCE = 60_000;

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A service that can be asked; it may be dead at any moment. */
export interface Reachable {
  /** Where it listens; known when it is ready. */
  readonly url: string;
  readonly adminKey: string;
  /** Everything it has written to standard output and standard error so far. */
  logs(): string;
}

/** The real service as a process of its own, which may be killed. */
export interface ServiceProcess extends Reachable {
  readonly pid: number;
  /** Resolves when the process has ended, in whatever way. */
  readonly ended: Promise<Exit>;
  /** `kill -9`: nothing is finished, nothing is said goodbye to. */
  kill(): Promise<Exit>;
  /** SIGTERM, and waits until it has put everything away. */
  stop(): Promise<Exit>;
}

export interface ProcessOptions {
  environment?: Record<string, string>;
  /** What starts it, with its arguments: `strace …`. */
  under?: readonly string[];
  /** Another program that starts the service, and tells its address in the same way. */
  program?: string;
}

/** Starts `syncline start` on this place and waits until `/readyz` says so. Throws, with its logs, when it ends before. */
export async function startProcess(place: Place, options: ProcessOptions = {}): Promise<ServiceProcess> {
  const launched = launch(place, options);
  try {
    await launched.ready;
  } catch (error) {
    await launched.service.kill();
    throw error;
  }
  return launched.service;
}

/** The same without waiting, for a start that is meant to fail. */
export function launch(
  place: Place,
  { environment, under = [], program: started = PROGRAM }: ProcessOptions,
): { service: ServiceProcess; ready: Promise<void> } {
  const [program, ...args] = [...under, process.execPath, started, 'start'];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing of the environment that the tests run in, where a setting could be hidden.
    env: {
      PATH: process.env['PATH'],
      // What the tests have compiled already it need not compile once more.
      ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
      PORT: '0',
      SYNCLINE_DATA_DIR: place.dataDir,
      SYNCLINE_RATE_LIMIT: '0',
      SYNCLINE_WRONG_KEYS: '0',
      ...(place.databaseUrl && { DATABASE_URL: place.databaseUrl }),
      ...environment,
    },
  });
  let logs = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      logs += text;
    });
  }
  let url = '';
  let adminKey = environment?.['SYNCLINE_ADMIN_KEY'];
  const ended = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const end = (signal: NodeJS.Signals): Promise<Exit> => {
    child.kill(signal);
    return ended;
  };
  const ready = becomeReady(child, () => logs).then((address) => {
    url = address;
  });
  ready.catch(() => {});
  const service: ServiceProcess = {
    pid: child.pid ?? 0,
    get url() {
      return url;
    },
    get adminKey() {
      adminKey ??= readFileSync(adminKeyFile(place.dataDir), 'utf8').trim();
      return adminKey;
    },
    logs: () => logs,
    ended,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
  return { service, ready };
}

async function becomeReady(child: ChildProcess, logs: () => string): Promise<string> {
  const deadline = AbortSignal.timeout(PATIENCE);
  const address = await new Promise<string>((resolve, reject) => {
    const fail = (what: string) => () => reject(new Error(`The service ${what} before it was ready:\n${logs()}`));
    child.stdout?.on('data', () => {
      const found = /^ +(?:API|Probes) +(https?:\/\/[^/\s]+)\//m.exec(logs());
      if (found?.[1]) resolve(found[1]);
    });
    child.once('error', reject);
    child.once('close', fail('ended'));
    deadline.addEventListener('abort', fail('took a minute'), { once: true });
  });
  const answer = await fetch(`${address}/readyz`, { signal: deadline });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`The service listens but is not ready: ${text}\n${logs()}`);
  return address;
}

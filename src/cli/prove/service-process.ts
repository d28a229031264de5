import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { adminKeyFile } from '../../keys/admin-key.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/syncline.js', import.meta.url));
/** The same of a package, whose files lie one folder deeper. */
const PACKED_PROGRAM = fileURLToPath(new URL('../../../../bin/syncline.js', import.meta.url));
const PATIENCE = 60_000;

interface ProcessExit {
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
  readonly ended: Promise<ProcessExit>;
  /** `kill -9`: nothing is finished, nothing is said goodbye to. */
  kill(): Promise<ProcessExit>;
  /** SIGTERM, and waits until it has put everything away. */
  stop(): Promise<ProcessExit>;
}

export interface LaunchOptions {
  dataDir: string;
  /** All of its environment, but for the data directory and the port, which is any that is free. */
  environment: Readonly<Record<string, string | undefined>>;
  /** What starts it, with its arguments: `strace …`. */
  under?: readonly string[];
  /** Another program that starts the service, and tells its address in the same way. */
  program?: string;
}

/** Starts `syncline start` as a process of its own. `ready` fails, with its logs, when it ends before it says that it is ready. */
export function launchService({ dataDir, environment, under = [], program: started = ownProgram() }: LaunchOptions): {
  service: ServiceProcess;
  ready: Promise<void>;
} {
  const [program, ...args] = [...under, process.execPath, started, 'start'];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PORT: '0', SYNCLINE_DATA_DIR: dataDir, SYNCLINE_RATE_LIMIT: '0', SYNCLINE_WRONG_KEYS: '0', ...environment },
  });
  let logs = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      logs += text;
    });
  }
  let url = '';
  let adminKey = environment['SYNCLINE_ADMIN_KEY'];
  const ended = new Promise<ProcessExit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const end = (signal: NodeJS.Signals): Promise<ProcessExit> => {
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
      adminKey ??= readFileSync(adminKeyFile(dataDir), 'utf8').trim();
      return adminKey;
    },
    logs: () => logs,
    ended,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
  return { service, ready };
}

function ownProgram(): string {
  return import.meta.url.endsWith('.ts') ? PROGRAM : PACKED_PROGRAM;
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
  return address;
}

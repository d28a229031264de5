import { readFileSync } from 'node:fs';
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atEnd } from './cleanup.ts';
import { residentMegabytes } from './processes.ts';

/** What one pass over the rows took. */
export interface Pass {
  seconds: number;
  /** The most memory that was seen, in MB; 0 where the system does not tell. */
  memory: number;
}

export interface Command {
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  /** What goes into its standard input. */
  input?: number;
}

/** Runs a system's own tool once, its output thrown away. */
export async function timeTool({ command, args, env, input }: Command): Promise<Pass> {
  const started = performance.now();
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: [input ?? 'ignore', 'ignore', 'pipe'] });
  await succeeded(child, command);
  return { seconds: (performance.now() - started) / 1000, memory: 0 };
}

/**
 * Runs one of our own programs under bench/contenders/. It says on its standard output how many seconds its work took, so
 * that the start of Node is not counted, as it is not in a service that runs anyway.
 */
export async function timeOurs(program: URL, args: readonly string[], env: Record<string, string> = {}): Promise<Pass> {
  const child = spawn(process.execPath, [fileURLToPath(program), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let words = '';
  child.stdout.on('data', (chunk: Buffer) => (words += chunk.toString()));
  let memory = 0;
  const sampler = setInterval(() => (memory = Math.max(memory, residentMegabytes(child.pid ?? 0) ?? 0)), 20);
  try {
    await succeeded(child, program.pathname);
  } finally {
    clearInterval(sampler);
  }
  const { seconds, peak } = JSON.parse(words) as { seconds: number; peak?: number };
  return { seconds, memory: Math.max(memory, peak ?? 0) };
}

/** For a contender's last words: what `timeOurs` reads. The peak is the kernel's own figure. */
export function report(seconds: number): void {
  process.stdout.write(JSON.stringify({ seconds, peak: peakMegabytes() }));
}

function peakMegabytes(): number {
  try {
    return (Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}

async function succeeded(child: ChildProcess, name: string): Promise<void> {
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-4000);
  });
  atEnd(() => child.kill('SIGKILL'));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${name} failed (${code}): ${words}`);
}

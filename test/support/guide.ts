import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { SETTINGS } from '../../src/config.ts';

// Documents whose commands are run as they stand, and answer as it says below them.

const ROOT = resolve(import.meta.dirname, '../..');

export interface Example {
  command: string;
  /** What it prints, with `…` for what was left out. */
  expected: string;
}

export type Answer = Example & { actual: string };

/** The bash blocks of a text, each with the text block below it; without one, it prints nothing. */
export function examplesIn(text: string): Example[] {
  const blocks = text.matchAll(/```bash\n([^]*?)```\n(?:```text\n([^]*?)```)?/g);
  return [...blocks].map(([, command = '', expected = '']) => ({ command, expected }));
}

/** Each command has answered as the document says. */
export function assertAnswers(answers: readonly Answer[]): void {
  for (const { command, expected, actual } of answers) assert.match(`${actual}\n`, patternOf(expected), `${command}\nanswered\n${actual}`);
}

/** `…` stands for any text within its line; alone on a line, for any lines. */
function patternOf(expected: string): RegExp {
  const lines = expected.trim().split('\n');
  const patterns = lines.map((line) => {
    const parts = line.split('…').map((part) => RegExp.escape(part));
    return line === '…' ? '(.*\n)*' : `${parts.join('.*')}\n`;
  });
  return new RegExp(`^${patterns.join('')}$`);
}

/** Runs the commands in one bash, as a user would who pastes them one after the other. `adapt` puts in where the systems of the tests are. */
export function paste(examples: readonly Example[], cwd: string, port: string, adapt: (script: string) => string): Answer[] {
  const end = 'end of the answer\n';
  const script = examples.map(({ command }) => `${command}printf '%s' '${end}'\n`).join('');
  const here = adapt(script)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replaceAll('npm run -s syncline --', `"${process.execPath}" "${ROOT}/bin/syncline.js"`);
  const { stdout } = spawnSync('bash', ['-c', `exec 2>&1\n${here}`], {
    cwd,
    env: environment({ PORT: port }),
    encoding: 'utf8',
    timeout: 120_000,
  });
  const outputs = stdout.replaceAll('\r\n', '\n').split(end);
  return examples.map((example, index) => ({ ...example, actual: (outputs[index] ?? 'nothing: bash has ended').trim() }));
}

export interface RunningProgram {
  port: string;
  /** Ends it and answers its exit code. */
  stop: () => Promise<number | null>;
}

/** Starts the service as `npm start` does, with its data in this folder, on a free port. */
export async function startIn(cwd: string): Promise<RunningProgram> {
  const child = spawn(process.execPath, [join(ROOT, 'bin/syncline.js'), 'start'], {
    cwd,
    env: environment({ PORT: '0', LOG_LEVEL: 'warn' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const port = await Promise.race([portOf(child), ended.then(([code]) => assert.fail(`the service ended with ${code}`))]);
  return {
    port,
    stop: async () => {
      child.kill('SIGTERM');
      return (await ended)[0];
    },
  };
}

async function portOf({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const piece of stdout ?? []) {
    text += String(piece);
    const port = /Syncline is ready[^]*127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port) return port;
  }
  throw new Error(`The service did not say where it is: ${text}`);
}

/** Ours, without the settings of the shell that runs the tests. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(([name]) => !Object.hasOwn(SETTINGS, name));
  return { ...Object.fromEntries(ours), ...settings };
}

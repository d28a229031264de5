// The documents are true: settings, links, and above all the README's tour, which is run here as it stands there.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SETTINGS } from '../src/config.ts';
import { installPackage } from './support/debian-package.ts';

const ROOT = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

test('the table of settings lists every setting, its default and its meaning', () => {
  const rows = sectionOf('Settings').filter((line) => line.startsWith('| `'));
  const expected = Object.entries(SETTINGS).map(
    ([name, { fallback, about }]) => `| \`${name}\` | ${fallback === undefined ? '' : `\`${fallback}\``} | ${about} |`,
  );
  assert.deepEqual(rows, expected);
});

test('every relative link leads to a file, and to a heading in it', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'bench/**/*.md', 'deploy/**/*.md', 'clients/*/*.md'], { cwd: ROOT });
  assert.ok(documents.length >= 7);
  const links = documents.flatMap((document) =>
    [...readFileSync(join(ROOT, document), 'utf8').matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)/g)].map(([, path = '', anchor]) => ({
      document,
      target: path === '' ? document : join(dirname(document), path),
      anchor,
    })),
  );
  assert.ok(links.length > 0);
  const broken = links.filter(({ target, anchor }) => !existsSync(join(ROOT, target)) || (anchor && !anchorsOf(target).includes(anchor)));
  assert.deepEqual(broken, []);
});

describe('the tour', () => {
  let folder: string;
  let service: RunningService;
  let answers: Answer[];

  before(async () => {
    if (spawnSync('curl', ['--version']).error) installPackage('curl', 'The tour in the README is made of curl commands. Install curl.');
    folder = mkdtempSync(join(tmpdir(), 'syncline-tour-'));
    service = await startIn(folder, join(ROOT, 'bin/syncline.js'));
    answers = paste([...examplesOf('A five-minute tour'), ...examplesOf('The command line')], folder, service.port);
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is all there', () => assert.ok(answers.length >= 11));

  test('each command answers as the README says', () => {
    for (const { command, expected, actual } of answers)
      assert.match(`${actual}\n`, patternOf(expected), `${command}\nanswered\n${actual}`);
  });
});

interface Example {
  command: string;
  /** What it prints, with `…` for what was left out. */
  expected: string;
}

type Answer = Example & { actual: string };

function sectionOf(heading: string): string[] {
  const lines = readme.split('\n');
  const start = lines.indexOf(`## ${heading}`);
  assert.notEqual(start, -1, `the README has a section "${heading}"`);
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '));
  return lines.slice(start + 1, end === -1 ? undefined : end);
}

/** The bash blocks of a section, each with the text block below it; without one, it prints nothing. */
function examplesOf(heading: string): Example[] {
  const blocks = sectionOf(heading)
    .join('\n')
    .matchAll(/```bash\n([^]*?)```\n(?:```text\n([^]*?)```)?/g);
  return [...blocks].map(([, command = '', expected = '']) => ({ command, expected }));
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

function anchorsOf(document: string): string[] {
  const headings = readFileSync(join(ROOT, document), 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Runs the commands in one bash, as a user would who pastes them one after the other. */
function paste(examples: readonly Example[], cwd: string, port: string): Answer[] {
  const end = 'end of the answer\n';
  const script = examples.map(({ command }) => `${command}printf '%s' '${end}'\n`).join('');
  const here = script
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replace(/PG='.*'/, `PG='${postgresConfig()}'`)
    .replaceAll('npm run -s syncline --', `"${process.execPath}" "${ROOT}/bin/syncline.js"`);
  const { stdout } = spawnSync('bash', ['-c', `exec 2>&1\n${here}`], {
    cwd,
    env: environment({ PORT: port }),
    encoding: 'utf8',
    timeout: 60_000,
  });
  const outputs = stdout.replaceAll('\r\n', '\n').split(end);
  return examples.map((example, index) => ({ ...example, actual: (outputs[index] ?? 'nothing: bash has ended').trim() }));
}

/** Where the tests' own PostgreSQL is, in the words of the README. */
function postgresConfig(): string {
  const { hostname, port, username, pathname } = new URL(process.env['TEST_POSTGRES_URL'] ?? assert.fail('run me with `npm test`'));
  return `"host": "${hostname}", "port": ${port}, "user": "${username}", "password": "secret", "database": "${pathname.slice(1)}"`;
}

interface RunningService {
  port: string;
  /** Ends it and answers its exit code. */
  stop: () => Promise<number | null>;
}

/** Starts the service as `npm start` does, with its data in this folder, on a free port. */
async function startIn(cwd: string, program: string): Promise<RunningService> {
  const child = spawn(process.execPath, [program, 'start'], {
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

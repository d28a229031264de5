// The documents are true: settings, links, and above all the README's tour, which is run here as it stands there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SETTINGS } from '../src/config.ts';
import { installPackage } from './support/debian-package.ts';
import { type Answer, assertAnswers, examplesIn, paste, type RunningProgram, startIn } from './support/guide.ts';

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

test('the tour in pictures names every picture that there is, and they are small', () => {
  const tour = readFileSync(join(ROOT, 'docs/tour.md'), 'utf8');
  const named = [...tour.matchAll(/!\[[^\]]+\]\(tour\/([^)]+)\)/g)].map(([, file = '']) => file);
  const pictures = globSync('docs/tour/*', { cwd: ROOT }).map((path) => basename(path));
  assert.ok(named.length >= 8);
  assert.deepEqual(named.toSorted(), pictures.toSorted());
  const bytes = pictures.reduce((sum, file) => sum + statSync(join(ROOT, 'docs/tour', file)).size, 0);
  assert.ok(bytes < 1_048_576, `${bytes} bytes`);
});

describe('the tour', () => {
  let folder: string;
  let service: RunningProgram;
  let answers: Answer[];

  before(async () => {
    if (spawnSync('curl', ['--version']).error) installPackage('curl', 'The tour in the README is made of curl commands. Install curl.');
    folder = mkdtempSync(join(tmpdir(), 'syncline-tour-'));
    service = await startIn(folder);
    const examples = ['A five-minute tour', 'The command line'].flatMap((heading) => examplesIn(sectionOf(heading).join('\n')));
    answers = paste(examples, folder, service.port, (script) => script.replace(/PG='.*'/, `PG='${postgresConfig()}'`));
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is all there', () => assert.ok(answers.length >= 11));

  test('each command answers as the README says', () => assertAnswers(answers));
});

function sectionOf(heading: string): string[] {
  const lines = readme.split('\n');
  const start = lines.indexOf(`## ${heading}`);
  assert.notEqual(start, -1, `the README has a section "${heading}"`);
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '));
  return lines.slice(start + 1, end === -1 ? undefined : end);
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

/** Where the tests' own PostgreSQL is, in the words of the README. */
function postgresConfig(): string {
  const { hostname, port, username, pathname } = new URL(process.env['TEST_POSTGRES_URL'] ?? assert.fail('run me with `npm test`'));
  return `"host": "${hostname}", "port": ${port}, "user": "${username}", "password": "secret", "database": "${pathname.slice(1)}"`;
}

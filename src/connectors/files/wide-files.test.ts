// Files that are wider, longer or deeper than real data: they are refused early, in words, and cost little.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { filesFolder } from '../../../test/support/files-folder.ts';
import type { OutsideError } from '../../outside/errors.ts';

const folder = filesFolder();
after(() => folder.remove());

async function refusals(config: Record<string, unknown>, stream: string): Promise<string[]> {
  const session = await folder.session(config);
  const attempts = [
    () => session.check(),
    () => session.discover(),
    () => Array.fromAsync(session.read({ stream, fields: ['a'], key: [] })),
  ];
  const codes: string[] = [];
  for (const attempt of attempts)
    codes.push(
      await attempt().then(
        () => 'OK',
        (error: OutsideError) => error.code,
      ),
    );
  await session.close();
  return codes;
}

test('two million columns are refused before they cost anything', async () => {
  const row = `${'a,'.repeat(1_999_999)}a\n`;
  folder.write('wide.csv.gz', gzipSync(row + row));
  folder.write('nameless.csv', '1,'.repeat(20_000));
  const before = process.memoryUsage().rss;
  const start = performance.now();
  assert.deepEqual(await refusals({ path: 'wide.csv.gz' }, 'wide'), ['TOO_MANY_FIELDS', 'TOO_MANY_FIELDS', 'TOO_MANY_FIELDS']);
  assert.deepEqual(await refusals({ path: 'nameless.csv', header: 'no' }, 'nameless'), [
    'TOO_MANY_FIELDS',
    'TOO_MANY_FIELDS',
    'TOO_MANY_FIELDS',
  ]);
  assert.ok(performance.now() - start < 5000, `${performance.now() - start} ms`);
  assert.ok(process.memoryUsage().rss - before < 200e6, `${(process.memoryUsage().rss - before) / 1e6} MB`);
});

test('ten thousand columns of one name are told apart at once', async () => {
  folder.write('alike.csv', `${'a,'.repeat(9_999)}a\n${'1,'.repeat(9_999)}1\n`);
  const start = performance.now();
  const { names, rows } = await folder.read({ path: 'alike.csv' });
  assert.deepEqual([names.length, names.at(-1), rows[0]?.length], [10_000, 'a_10000', 10_000]);
  assert.ok(performance.now() - start < 5000, `${performance.now() - start} ms`);
});

test('a header without end and a name without end are told as such', async () => {
  folder.write('long.csv', `a,"${'b'.repeat(300_000)}"\n1,2\n`);
  folder.write('name.csv', `a,${'b'.repeat(2000)}\n1,2\n`);
  assert.deepEqual(await refusals({ path: 'long.csv', header: 'yes' }, 'long'), Array(3).fill('HEADER_TOO_LARGE'));
  assert.deepEqual(await refusals({ path: 'name.csv' }, 'name'), Array(3).fill('NAME_TOO_LONG'));
});

test('JSON Lines with too many members are refused, with too many levels rejected', async () => {
  const members = Array.from({ length: 11_000 }, (_, at) => `"m${at}":1`).join();
  folder.write('members.jsonl', `{${members}}\n`);
  assert.deepEqual(await refusals({ path: 'members.jsonl' }, 'members'), ['OK', 'TOO_MANY_FIELDS', 'TOO_MANY_FIELDS']);
  const deep = (levels: number): string => `{"a":${'['.repeat(levels)}1${']'.repeat(levels)}}\n`;
  folder.write('deep.jsonl', `${deep(3)}${deep(100_000)}${deep(500)}{"a":[${JSON.stringify('['.repeat(2000))}]}\n`);
  const { rows, rejects } = await folder.read({ path: 'deep.jsonl' });
  assert.equal(rows.length, 3);
  assert.deepEqual(
    rejects.map(({ reason }) => /nested too deeply/.test(reason)),
    [true],
  );
});

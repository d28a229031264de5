// One stream of a large folder costs what that stream costs.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, test } from 'node:test';
import { filesFolder } from '../../../../test/support/files-folder.ts';
import { Batch } from '../../batch.ts';

const folder = filesFolder();
after(() => folder.remove());
for (let at = 0; at < 1000; at++) folder.write(`many/f${at}.csv`, `id,name\n${at},a\n`);
for (let at = 0; at < 20; at++) folder.write(`many/deep/er/d${at}.csv`, `id,name\n${at},a\n`);
folder.write('many/f7.jsonl', '{"id": 7}\n');
folder.write('many/broken.parquet', 'PAR1 and no more');

const filesOf = (opened: readonly string[]): string[] => [
  ...new Set(opened.map((path) => basename(path)).filter((name) => !name.endsWith('.json'))),
];

test('a stream that is asked for by name is looked at alone', async () => {
  for (const [name, file] of [
    ['f500', 'f500.csv'],
    ['f7.csv', 'f7.csv'],
    ['f7.jsonl', 'f7.jsonl'],
  ] as const) {
    const { session, opened } = await folder.watched({ path: 'many' });
    assert.deepEqual(
      (await session.discover([name])).map((stream) => stream.name),
      [name],
    );
    for await (const batch of session.read({ stream: name, fields: ['id'], key: [] })) assert.equal(batch.count, 1);
    assert.deepEqual(filesOf(opened), [file]);
    await session.close();
  }
});

test('a folder in it is a stream of its own files, and one that is broken hides nothing', async () => {
  const { session, opened } = await folder.watched({ path: 'many' });
  const found = await session.discover(['deep', 'broken', 'none']);
  assert.deepEqual(
    found.map(({ name, fields }) => [name, fields.length]),
    [
      ['broken', 0],
      ['deep', 2],
    ],
  );
  assert.ok(
    filesOf(opened).every((name) => /^d\d+\.csv$|^broken/.test(name)),
    filesOf(opened).join(),
  );
  await assert.rejects(Array.fromAsync(session.read({ stream: 'none', fields: ['id'], key: [] })), { code: 'STREAM_MISSING' });
  await session.close();
});

test('writing one stream leaves the others alone', async () => {
  const { session, opened } = await folder.watched({ path: 'many' });
  const fields = [{ name: 'id', type: 'int64', nullable: false } as const, { name: 'name', type: 'text', nullable: true } as const];
  const writer = await session.write({ stream: 'f3', fields, key: ['id'], mode: 'mirror', owner: 'me', token: 1n, create: true });
  await writer.write(Batch.ofRows([['1', 'x']], { position: '1' }));
  await writer.finish();
  await writer.close();
  await session.close();
  assert.deepEqual(filesOf(opened), ['f3.csv']);
});

test('what is called what does not depend on how it is asked for', async () => {
  const session = await folder.session({ path: 'many' });
  const all = await session.discover();
  assert.equal(all.length, 1003);
  for (const { name } of all.filter((_, at) => at % 100 === 0))
    assert.deepEqual(
      await session.discover([name]),
      all.filter((stream) => stream.name === name),
    );
  await session.close();
});

// What writing promises: files appear as a whole or not at all, every row once, also when the writer is killed in between.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { filesFolder } from '../../../../test/support/files-folder.ts';
import { Batch } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Field, WriteRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';
import { folderError } from '../../../outside/file-errors.ts';
import { Digest } from './digest.ts';

const folder = filesFolder();
after(() => folder.remove());

const FIELDS: Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'name', type: 'text', nullable: true },
];
const request = (stream: string, change: Partial<WriteRequest> = {}): WriteRequest => ({
  stream,
  fields: FIELDS,
  key: [],
  mode: 'append',
  owner: 'me',
  token: 1n,
  create: true,
  ...change,
});
const batch = (position: string, ...rows: Row[]): Batch => Batch.ofRows(rows, { position });
const text = (name: string): string => readFileSync(join(folder.root, name), 'utf8');

async function write(session: Session, what: WriteRequest, ...rows: Row[]) {
  const writer = await session.write(what);
  try {
    await writer.write(batch('1', ...rows));
    return await writer.finish();
  } finally {
    await writer.close();
  }
}

/** The folder in which the work of one owner on one file is kept. */
function workOf(stream: string): string {
  const base = join(folder.root, '.syncline');
  const found = readdirSync(base)
    .map((name) => join(base, name))
    .find(
      (path) =>
        statSync(path).isDirectory() &&
        readdirSync(path).some((name) => name.endsWith('.json') && readFileSync(join(path, name), 'utf8').includes(`"${stream}"`)),
    );
  assert.ok(found, `the work on ${stream}`);
  return found;
}

describe('append', () => {
  test('puts rows behind those of a file that another program wrote, in its own dialect and order', async () => {
    folder.write('foreign.csv', 'name;extra;id\r\n"a;b";x;1');
    const session = await folder.session({ path: '.' });
    await write(session, request('foreign'), ['2', 'c;d'], ['3', null]);
    assert.equal(text('foreign.csv'), 'name;extra;id\r\n"a;b";x;1\n"c;d";;2\n;;3\n');
    folder.write('packed.csv.gz', gzipSync('id,name\n1,a\n'));
    await write(session, request('packed'), ['2', 'b']);
    assert.deepEqual((await folder.read({ path: 'packed.csv.gz' })).rows, [
      ['1', 'a'],
      ['2', 'b'],
    ]);
  });
  test('a new field gets a column, and old rows have null in it', async () => {
    folder.write('wider.csv', 'id\n1\n');
    const session = await folder.session({ path: '.' });
    await assert.rejects(session.write(request('wider', { create: false })), { kind: 'config', code: 'FIELD_MISSING' });
    await write(session, request('wider'), ['2', 'b']);
    assert.equal(text('wider.csv'), 'id,name\n1,\n2,b\n');
  });
  test('a file with rows that cannot be read is not written anew without them', async () => {
    folder.write('ragged.csv', 'id\n1\n2,3,4\n');
    const before = text('ragged.csv');
    await assert.rejects(write(await folder.session({ path: '.' }), request('ragged'), ['5', 'x']), {
      kind: 'data',
      code: 'TARGET_UNREADABLE',
    });
    assert.equal(text('ragged.csv'), before);
  });
  test('what is not finished cannot be seen, and the next writer goes on with it', async () => {
    const session = await folder.session({ path: '.' });
    const one = await session.write(request('later'));
    await one.write(batch('p1', ['1', 'a']));
    await one.close();
    assert.ok(!existsSync(join(folder.root, 'later.csv')));
    assert.ok((await session.discover()).every((stream) => stream.name !== 'later' && !stream.name.includes('syncline')));
    const two = await session.write(request('later', { token: 2n }));
    assert.equal(two.checkpoint, 'p1');
    await two.write(batch('p2', ['2', 'b']));
    await two.finish();
    await two.close();
    assert.equal(text('later.csv'), 'id,name\n1,a\n2,b\n');
    const three = await session.write(request('later', { token: 3n }));
    assert.equal(three.checkpoint, 'p2');
    await three.finish();
    await three.close();
    assert.equal(text('later.csv'), 'id,name\n1,a\n2,b\n', 'a run without rows changes nothing');
  });
  test('other fields than those collected before: the rows are asked for again', async () => {
    const session = await folder.session({ path: '.' });
    const one = await session.write(request('changed'));
    await one.write(batch('p1', ['1', 'a']));
    await one.close();
    const two = await session.write(request('changed', { token: 2n, fields: FIELDS.slice(0, 1) }));
    assert.equal(two.checkpoint, undefined);
    await two.close();
  });
});

describe('a crash', () => {
  test('in the middle of a batch leaves nothing of it', async () => {
    const session = await folder.session({ path: '.' });
    const one = await session.write(request('torn'));
    await one.write(batch('p1', ['1', 'a']));
    await one.close();
    const work = workOf('torn.csv');
    const segment = readdirSync(work).find((name) => name.endsWith('.lines')) ?? '';
    appendFileSync(join(work, segment), '2\tha');
    writeFileSync(join(work, '1-000000000000.tmp'), 'half a file');
    const two = await session.write(request('torn', { token: 2n }));
    await two.write(batch('p2', ['2', 'b']));
    await two.finish();
    await two.close();
    assert.equal(text('torn.csv'), 'id,name\n1,a\n2,b\n');
    assert.deepEqual(readdirSync(work), ['2.json']);
  });
  for (const moment of ['before', 'after'] as const) {
    test(`${moment} the file took its place: it does so once`, async () => {
      const session = await folder.session({ path: '.' });
      const stream = `moment-${moment}`;
      const one = await session.write(request(stream));
      await one.write(batch('p1', ['1', 'a']));
      await one.close();
      // The state as it is right before the rename, and the file that was made.
      const work = workOf(`${stream}.csv`);
      const state = JSON.parse(readFileSync(join(work, '1.json'), 'utf8')) as object;
      writeFileSync(join(work, '1-ready.tmp'), 'id,name\n1,a\n');
      writeFileSync(join(work, '1.json'), JSON.stringify({ ...state, final: '1-ready.tmp' }));
      if (moment === 'after') renameSync(join(work, '1-ready.tmp'), join(folder.root, `${stream}.csv`));
      const two = await session.write(request(stream, { token: 2n }));
      assert.equal(two.checkpoint, 'p1');
      assert.equal(text(`${stream}.csv`), 'id,name\n1,a\n');
      await two.finish();
      await two.close();
      assert.equal(text(`${stream}.csv`), 'id,name\n1,a\n');
    });
  }
  for (const mode of ['append', 'mirror'] as const) {
    test(`of the process at any moment: ${mode} has every row once`, async () => {
      const root = join(folder.root, `killed-${mode}`);
      mkdirSync(root);
      const total = 100;
      const program = fileURLToPath(new URL('../../../../test/support/files-writer.ts', import.meta.url));
      let isDone = false;
      for (let attempt = 1; !isDone; attempt++) {
        assert.ok(attempt < 30, 'it gets ahead');
        const child = spawn(process.execPath, [program, root, mode, String(attempt), String(total)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let words = '';
        child.stdout.on('data', (chunk: Buffer) => {
          words += chunk.toString();
          // Killed after a few batches, later while finishing, and at last left alone.
          const lines = words.split('\n').length - 1;
          if (attempt < 4 ? lines > attempt : attempt < 6 && words.includes('finishing')) child.kill('SIGKILL');
        });
        await once(child, 'exit');
        isDone = words.includes('done');
        const seen = existsSync(join(root, 'numbers.csv')) ? readFileSync(join(root, 'numbers.csv'), 'utf8').split('\n').length - 2 : 0;
        assert.ok(seen === 0 || seen === total, `a file of ${seen} rows was seen`);
      }
      const { rows } = await folder.read({ path: root }, { stream: 'numbers' });
      assert.deepEqual(
        rows,
        Array.from({ length: total }, (_, n) => [String(n)]),
      );
    });
  }
});

describe('where may be written', () => {
  test('not outside, not through links, not to patterns, URLs and folders, not under odd names', async () => {
    symlinkSync(tmpdir(), join(folder.root, 'out'));
    folder.write('parts/a.csv', 'id\n1\n');
    const cases: [Record<string, unknown>, string, string][] = [
      [{ path: '/etc/' }, 'x', 'PATH_REFUSED'],
      [{ path: 'out' }, 'x', 'PATH_REFUSED'],
      [{ path: '../x.csv' }, 'x', 'PATH_REFUSED'],
      [{ path: '*.csv' }, 'x', 'NOT_WRITABLE'],
      [{ url: 'http://127.0.0.1:1/x.csv' }, 'x', 'NOT_WRITABLE'],
      [{ path: '.' }, 'parts', 'NOT_WRITABLE'],
      [{ path: '.' }, '../x', 'NAME_INVALID'],
      [{ path: '.' }, '.hidden', 'NAME_INVALID'],
      [{ path: '.' }, 'x'.repeat(300), 'NAME_INVALID'],
      [{ path: '.', encoding: 'shift_jis' }, 'x', 'ENCODING_UNSUPPORTED'],
    ];
    for (const [config, stream, code] of cases) {
      const session = await folder.session(config);
      await assert.rejects(session.write(request(stream)), { kind: 'config', code }, `${JSON.stringify(config)} ${stream}`);
    }
  });
  test('one file by its path, made with its folder', async () => {
    const session = await folder.session({ path: 'deep/er/one.tsv' });
    await write(session, request('one', { mode: 'mirror' }), ['1', 'a\tb']);
    assert.equal(text('deep/er/one.tsv'), 'id\tname\n1\t"a\tb"\n');
    await assert.rejects(session.write(request('two')), { code: 'STREAM_MISSING' });
  });
});

test('a mirror compares by key in bounded memory, and counts', async () => {
  const session = await folder.session({ path: '.' });
  const rows = (from: number, to: number, name: string): Row[] => Array.from({ length: to - from }, (_, n) => [String(from + n), name]);
  const key = ['id'];
  // Enough rows that the digests wait on disk.
  await write(session, request('big', { mode: 'mirror', key }), ...rows(0, 70_000, 'a'));
  const result = await write(
    session,
    request('big', { mode: 'mirror', key, token: 2n }),
    ...rows(10_000, 50_000, 'a'),
    ...rows(50_000, 80_000, 'b'),
  );
  assert.deepEqual({ ...result, rejects: [] }, { inserted: 10_000, updated: 20_000, unchanged: 40_000, deleted: 10_000, rejects: [] });
  assert.equal((await folder.read({ path: 'big.csv' })).rows.length, 70_000);
  const keyless = await write(session, request('big', { mode: 'mirror', token: 3n }), ...rows(10_000, 50_000, 'a'), ['1', 'x'], ['1', 'x']);
  assert.deepEqual([keyless.inserted, keyless.unchanged, keyless.deleted], [2, 40_000, 30_000]);
});

test('digests tell values, their places and null from the empty text', () => {
  const digest = (...values: (string | null)[]): string => {
    const [one, bytes] = [new Digest(), Buffer.alloc(16)];
    one.reset();
    for (const value of values) one.add(value);
    one.write(bytes, 0);
    return bytes.toString('hex');
  };
  const lists = [[], [null], [''], [null, ''], ['', null], ['ab', 'c'], ['a', 'bc'], ['abc'], ['a', 'b', 'c'], ['\0'], ['\0\0']];
  assert.equal(new Set(lists.map((list) => digest(...list))).size, lists.length);
  assert.equal(digest('a', null), digest('a', null));
  const many = new Set(Array.from({ length: 100_000 }, (_, n) => digest(String(n), 'x').slice(0, 12)));
  assert.ok(many.size > 99_990, 'also the first half is spread well');
});

describe('a mirror that cannot use some rows', () => {
  const mirror = (stream: string, token: bigint): WriteRequest => request(stream, { key: ['id'], mode: 'mirror', token });

  test('leaves what the file has of them as it is, and keeps their keys with what it has collected', async () => {
    const session = await folder.session({ path: '.' });
    await write(session, mirror('spared.csv', 1n), ['1', 'a'], ['2', 'b'], ['3', 'c']);
    const writer = await session.write(mirror('spared.csv', 2n));
    await writer.write(batch('1', ['1', 'x'], ['4', 'd']).sparing([['2']]));
    await writer.close();
    assert.equal(readdirSync(workOf('spared.csv')).filter((name) => name.endsWith('.lines')).length, 2);
    const again = await session.write(mirror('spared.csv', 3n));
    const { rejects: _, ...changes } = await again.finish();
    await again.close();
    assert.deepEqual(changes, { inserted: 1, updated: 1, unchanged: 0, deleted: 1 });
    assert.equal(text('spared.csv'), 'id,name\n1,x\n4,d\n2,b\n');
    assert.deepEqual(
      readdirSync(workOf('spared.csv')).filter((name) => name.endsWith('.lines')),
      [],
    );
  });

  test('does not write the file anew when a row of it cannot be read: it may be one of those', async () => {
    writeFileSync(join(folder.root, 'broken.csv'), 'id,name\n1,a\n2,b\nbroken\n');
    const session = await folder.session({ path: '.' });
    const writer = await session.write(mirror('broken.csv', 1n));
    await writer.write(batch('1', ['1', 'x']).sparing([['2']]));
    await assert.rejects(writer.finish(), { code: 'TARGET_UNREADABLE' });
    await writer.close();
    assert.equal(text('broken.csv'), 'id,name\n1,a\n2,b\nbroken\n');
  });
});

test('a folder that cannot be made is not told as a file that is missing', async () => {
  for (const code of ['EACCES', 'ENOENT']) {
    const error = folderError(Object.assign(new Error('no'), { code }), 'g.csv');
    assert.deepEqual([error.kind, error.code, error.field], ['auth', 'FILE_FORBIDDEN', 'path']);
    assert.equal(error.message, 'The folder of "g.csv" cannot be written to.');
    assert.match(error.hint ?? '', /writable for the user that runs Syncline/);
  }
  const session = await folder.session({ path: 'deep/er/and/deeper' });
  const writer = await session.write(request('g.csv'));
  await writer.close();
  assert.ok(existsSync(join(folder.root, 'deep', 'er', 'and', 'deeper')));
  const long = await folder.session({ path: `deep/er/${'x'.repeat(300)}` });
  await assert.rejects(long.write(request('g.csv')), { code: 'FILE_FAILED' });
});

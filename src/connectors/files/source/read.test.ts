// Which files are read, and how reading goes on when they grow, change, come and go.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { filesFolder } from '../../../../test/support/files-folder.ts';
import { MAX_ROW_BYTES } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';

const folder = filesFolder();
after(() => folder.remove());
const first = (rows: readonly (readonly (string | null)[])[]): (string | null | undefined)[] => rows.map((row) => row[0]);
const streamsOf = async (config: Record<string, unknown>): Promise<string[]> =>
  (await (await folder.session(config)).discover()).map((stream) => stream.name);

describe('which files', () => {
  test('one file is one stream, named after it', async () => {
    folder.write('one/orders.csv.gz', gzipSync('id\n1\n'));
    assert.deepEqual(await streamsOf({ path: 'one/orders.csv.gz' }), ['orders']);
    assert.deepEqual(await streamsOf({ path: 'one/orders.csv.gz', name: 'sales' }), ['sales']);
  });
  test('a pattern is one stream of all that match, in the order of their names', async () => {
    for (const [name, content] of Object.entries({
      'b/orders-2.csv': '3',
      'orders-1.csv': '1',
      'b/c/orders-3.csv': '4',
      'orders-10.csv': '2',
      '.hidden.csv': '9',
      'other.txt': '9',
    }))
      folder.write(`glob/${name}`, `id\n${content}\n`);
    const deep = await folder.read({ path: 'glob/**/orders-*.csv', file_fields: true });
    assert.equal(deep.stream.name, 'orders');
    assert.deepEqual(deep.rows, [
      ['4', 'b/c/orders-3.csv', '2'],
      ['3', 'b/orders-2.csv', '2'],
      ['1', 'orders-1.csv', '2'],
      ['2', 'orders-10.csv', '2'],
    ]);
    assert.deepEqual(first((await folder.read({ path: 'glob/*.csv' })).rows), ['1', '2']);
    assert.deepEqual(first((await folder.read({ path: 'glob/orders-?.csv' })).rows), ['1']);
    assert.deepEqual(first((await folder.read({ path: 'glob/{orders-1,b/orders-2}.csv' }).catch(() => ({ rows: [] }))).rows), []);
    assert.deepEqual(first((await folder.read({ path: 'glob/orders-{1,10}.csv' })).rows), ['1', '2']);
  });
  test('a folder has a stream for every file, and for every folder in it', async () => {
    for (const name of ['customers.csv', 'orders.jsonl', 'orders.csv', 'readme.md', 'parts/a.csv', 'parts/deep/b.csv'])
      folder.write(`all/${name}`, name.endsWith('l') ? '{"id":1}\n' : 'id\n1\n');
    assert.deepEqual(await streamsOf({ path: 'all' }), ['customers', 'orders.csv', 'orders.jsonl', 'parts']);
    assert.equal((await folder.read({ path: 'all' }, { stream: 'parts' })).rows.length, 2);
  });
  test('columns go by name: files may have them in another order, or lack some', async () => {
    folder.write('cols/1.csv', 'a,b\n1,x\n');
    folder.write('cols/2.csv', 'b,a\ny,2\n');
    folder.write('cols/3.csv', 'a\n3\n');
    folder.write('cols/4.csv', 'a;c\n4;z\n');
    const found = await folder.read({ path: 'cols/*.csv' });
    assert.deepEqual(
      [found.names, found.rows],
      [
        ['a', 'b', 'c'],
        [
          ['1', 'x', null],
          ['2', 'y', null],
          ['3', null, null],
          ['4', null, 'z'],
        ],
      ],
    );
    const fewer = await folder.read({ path: 'cols/*.csv' }, { fields: ['b', 'a'] });
    assert.deepEqual(fewer.rows, [
      ['x', '1'],
      ['y', '2'],
      [null, '3'],
      [null, '4'],
    ]);
  });
  test('links that lead out are refused, hidden files and our own are not seen', async () => {
    const outside = join(tmpdir(), `syncline-outside-${process.pid}.csv`);
    writeFileSync(outside, 'id\n1\n');
    try {
      mkdirSync(join(folder.root, 'links'));
      symlinkSync(outside, join(folder.root, 'links', 'out.csv'));
      await assert.rejects(folder.read({ path: 'links/*.csv' }), { code: 'PATH_REFUSED' });
      await assert.rejects(folder.read({ path: 'links/out.csv' }), { code: 'PATH_REFUSED' });
      await assert.rejects(folder.read({ path: '../*.csv' }), { code: 'PATH_REFUSED' });
    } finally {
      rmSync(outside);
    }
  });
});

describe('reading on', () => {
  const rest = async (path: string, after: string) => {
    const found = await folder.read({ path }, { after });
    return { ids: first(found.rows), position: found.position };
  };
  for (const [kind, pack] of [
    ['plain', (text: string) => Buffer.from(text)],
    ['packed', (text: string) => gzipSync(text)],
  ] as const) {
    test(`${kind}: what was added is read, once`, async () => {
      const name = `grow-${kind}.csv`;
      folder.write(name, pack('id,n\n1,a\n2,b\n'));
      const { position } = await folder.read({ path: name });
      assert.deepEqual((await rest(name, position)).ids, []);
      appendFileSync(join(folder.root, name), pack('3,c\n'));
      const next = await rest(name, position);
      assert.deepEqual(next.ids, ['3']);
      assert.deepEqual((await rest(name, next.position)).ids, []);
    });
  }
  test('a file that was replaced is read anew, also when it is longer and begins alike', async () => {
    folder.write('swap.csv', 'id,n\n1,a\n2,b\n');
    const { position } = await folder.read({ path: 'swap.csv' });
    folder.write('swap.csv', 'id,n\n1,a\n2,c\n3,d\n');
    assert.deepEqual((await rest('swap.csv', position)).ids, ['1', '2', '3']);
    folder.write('swap.csv', 'id,n\n7,a\n');
    assert.deepEqual((await rest('swap.csv', position)).ids, ['7']);
  });
  test('a file that was only touched, or copied over itself, has nothing new', async () => {
    folder.write('touch.csv', 'id,n\n1,a\n');
    const { position } = await folder.read({ path: 'touch.csv' });
    utimesSync(join(folder.root, 'touch.csv'), 1, 1);
    assert.deepEqual((await rest('touch.csv', position)).ids, []);
  });
  test('a last row without its line end: it is read, and again when it goes on', async () => {
    folder.write('half.csv', 'id,n\n1,a\n2,b');
    const one = await folder.read({ path: 'half.csv' });
    assert.deepEqual(one.rows, [
      ['1', 'a'],
      ['2', 'b'],
    ]);
    appendFileSync(join(folder.root, 'half.csv'), '\n3,c');
    const two = await folder.read({ path: 'half.csv' }, { after: one.position });
    assert.deepEqual(two.rows, [['3', 'c']]);
    appendFileSync(join(folder.root, 'half.csv'), 'c\n4,x\n');
    const three = await folder.read({ path: 'half.csv' }, { after: two.position });
    assert.deepEqual(three.rows, [
      ['3', 'cc'],
      ['4', 'x'],
    ]);
    appendFileSync(join(folder.root, 'half.csv'), '5\n');
    const { rejects } = await folder.read({ path: 'half.csv' }, { after: three.position });
    assert.match(rejects[0]?.reason ?? '', /^Line 6:/, 'lines are still counted right');
  });
  test('of several files, a rejected row names the one that it is in', async () => {
    folder.write('named/a.csv', 'id,n\n1,a\n');
    folder.write('named/b.csv', 'id,n\n2,b\n3\n');
    const { rejects } = await folder.read({ path: 'named/*.csv' });
    assert.deepEqual(
      rejects.map(({ reason }) => reason),
      ['b.csv: Line 3: the row has 1 cell where the file has 2 columns.'],
    );
  });
  test('files that come are read, wherever they sort; files that go are forgotten', async () => {
    for (const n of ['b', 'd']) folder.write(`come/${n}.csv`, `id\n${n}\n`);
    const { position } = await folder.read({ path: 'come/*.csv' });
    for (const n of ['a', 'c', 'e']) folder.write(`come/${n}.csv`, `id\n${n}\n`);
    rmSync(join(folder.root, 'come/b.csv'));
    const next = await rest('come/*.csv', position);
    assert.deepEqual(next.ids, ['a', 'c', 'e']);
    folder.write('come/b.csv', 'id\nb\n');
    assert.deepEqual((await rest('come/*.csv', next.position)).ids, ['b']);
  });
  test('after every batch, over several files, exactly the rest follows', async () => {
    for (let file = 0; file < 4; file++) {
      const text = `id,n\n${Array.from({ length: 200 }, (_, n) => `${file}-${n},"line\n${n}"\n`).join('')}`;
      folder.write(
        `many/${file}.csv${file % 2 ? '.gz' : ''}`,
        file % 2 ? gzipSync(text) : file === 2 ? Buffer.from(`\ufeff${text}`, 'utf16le') : text,
      );
    }
    const { batches, rows } = await folder.read({ path: 'many/*' }, { batchBytes: 500 });
    assert.equal(rows.length, 800);
    assert.ok(batches.length > 8);
    for (const [at, { position }] of batches.entries()) {
      const found = await folder.read({ path: 'many/*' }, { after: position, batchBytes: 500 });
      assert.deepEqual(
        found.rows,
        batches.slice(at + 1).flatMap((batch) => batch.rows),
      );
    }
  });
  test('a file that is replaced while it is read is read to its end as it was', async () => {
    const text = (letter: string): string => `id,n\n${Array.from({ length: 100_000 }, (_, n) => `${letter}${n},x\n`).join('')}`;
    folder.write('live.csv', text('a'));
    const session = await folder.session({ path: 'live.csv' });
    const letters = new Set<string | undefined>();
    let count = 0;
    for await (const batch of session.read({ stream: 'live', fields: ['id'], key: [], batchBytes: 10_000 })) {
      if (count === 0) {
        folder.write('live.new', text('b'));
        renameSync(join(folder.root, 'live.new'), join(folder.root, 'live.csv'));
      }
      count += batch.count;
      for (const [id] of batch.rows) letters.add(id?.[0]);
    }
    assert.deepEqual([count, [...letters]], [100_000, ['a']]);
  });
  test('a position of another read is refused', async () => {
    folder.write('p.csv', 'id\n1\n');
    for (const after of ['', 'x', '{}', '{"files":[[1]]}', '{"files":[["a",null,0,-1,1,0,0,""]]}'])
      await assert.rejects(folder.read({ path: 'p.csv' }, { after }), { kind: 'config', code: 'POSITION_INVALID' });
  });
});

describe('hostile files', () => {
  test('a line of a gigabyte is given up early', async () => {
    const session = await folder.session({ path: 'huge.csv' });
    folder.write('huge.csv', 'a,b\n1,2\n3,');
    const chunk = Buffer.alloc(8 * 1024 * 1024, 0x78);
    for (let n = 0; n < 12; n++) appendFileSync(join(folder.root, 'huge.csv'), chunk);
    const rows: unknown[] = [];
    await assert.rejects(
      async () => {
        for await (const batch of session.read({ stream: 'huge', fields: ['a'], key: [] })) rows.push(...batch.rows);
      },
      (error) => error instanceof OutsideError && error.kind === 'data' && error.code === 'ROW_TOO_LARGE' && /line 3/.test(error.message),
    );
    assert.ok(chunk.length * 12 > MAX_ROW_BYTES);
    folder.write('huge.csv', '');
  });
  test('an open quote is told with its line, also in a small file', async () => {
    folder.write('open.csv', 'a,b\n1,2\n3,"4\n5,6\n');
    await assert.rejects(folder.read({ path: 'open.csv', quote: '"' }), { kind: 'data', code: 'QUOTE_OPEN', message: /line 3/ });
  });
  test('rows in which everything is bad do not pile up', async () => {
    folder.write('bad.csv', `a,b\n1,2\n${'x\n'.repeat(20_000)}`);
    const { batches, rejects } = await folder.read({ path: 'bad.csv' });
    assert.equal(rejects.length, 20_000);
    assert.ok(Math.max(...batches.map((batch) => batch.rejects.length)) <= 1000);
  });
});

test('that a file was written anew, and all of it is read again, is told; that it has grown is not', async () => {
  folder.write('changing.csv', 'id\n1\n');
  const { session, told } = await folder.watched({ path: 'changing.csv' });
  const read = async (after?: string): Promise<{ count: number; position: string }> => {
    const request = { stream: 'changing', fields: ['id'], key: [], ...(after !== undefined && { after }) };
    let [count, position] = [0, after ?? ''];
    for await (const batch of session.read(request)) [count, position] = [count + batch.count, batch.position];
    return { count, position };
  };
  const begun = await read();
  appendFileSync(join(folder.root, 'changing.csv'), '2\n');
  const grown = await read(begun.position);
  assert.deepEqual([begun.count, grown.count, told], [1, 1, []]);
  folder.write('changing.csv', 'id\n3\n1\n2\n');
  assert.equal((await read(grown.position)).count, 3);
  assert.deepEqual(told, ['"changing.csv" was written anew since it was read. All of it is read.']);
});

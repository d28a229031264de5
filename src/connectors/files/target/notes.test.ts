import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { filesFolder } from '../../../../test/support/files-folder.ts';
import { Batch } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Field, WriteRequest } from '../../contract.ts';

const folder = filesFolder();
after(() => folder.remove());

const FIELDS: readonly Field[] = [
  { name: 'id', type: 'text', nullable: false },
  { name: 'name', type: 'text', nullable: true },
];
let token = 0n;
const request = (stream: string, change: Partial<WriteRequest> = {}): WriteRequest => ({
  stream,
  fields: FIELDS,
  key: ['id'],
  mode: 'append',
  owner: 'me',
  token: ++token,
  create: true,
  ...change,
});
const batch = (position: string, ...rows: Row[]): Batch => Batch.ofRows(rows, { position });
const text = (name: string): string => readFileSync(join(folder.root, name), 'utf8');

describe('what is noted', () => {
  test('when it cannot be kept, the batch does not count, and the same writer goes on', async () => {
    const session = await folder.session({ path: '.' });
    const writer = await session.write(request('again'));
    const problem = Object.assign(new Error('the database is gone'), { code: 'ECONNREFUSED' });
    const fail = (): Promise<string> => Promise.reject(problem);
    await assert.rejects(writer.write(batch('1', ['1', 'lost at first']), fail), problem, 'in its own words, not in those of a file');
    await writer.write(batch('1', ['1', 'a']), () => 'one');
    await assert.rejects(writer.write(batch('2', ['2', 'much longer than what follows']), fail), problem);
    await writer.write(batch('2', ['2', 'b']), () => 'two');
    await assert.rejects(writer.finish(undefined, fail), problem);
    await writer.finish(undefined, () => 'end');
    await writer.close();
    assert.equal(text('again.csv'), 'id,name\n1,a\n2,b\n');
    await session.close();
  });

  test('when the end cannot be kept, the file stays as it was, with the types that are known of it', async () => {
    const session = await folder.session({ path: '.' });
    const typesOf = async () => (await session.discover(['typed'])).find(({ name }) => name === 'typed')?.fields.map(({ type }) => type);
    const first = await session.write(request('typed', { mode: 'mirror' }));
    await first.write(batch('1', ['007', '1']));
    await first.finish();
    await first.close();
    assert.deepEqual(await typesOf(), ['text', 'text']);
    const second = await session.write(request('typed', { mode: 'mirror' }));
    await second.write(batch('1', ['008', '2']));
    await assert.rejects(
      second.finish(undefined, () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    );
    await second.close();
    assert.equal(text('typed.csv'), 'id,name\n007,1\n');
    assert.deepEqual(await typesOf(), ['text', 'text']);
    await session.close();
  });

  test('rows that were collected with other fields go, and position and note are those of the file', async () => {
    const session = await folder.session({ path: '.' });
    const first = await session.write(request('other'));
    await first.write(batch('1', ['1', 'a']), () => 'collected');
    await first.finish(undefined, () => 'published');
    await first.write(batch('2', ['2', 'b']), () => 'collected again');
    await first.close();
    const second = await session.write(request('other', { fields: FIELDS.slice(0, 1) }));
    assert.deepEqual([second.checkpoint, second.note], ['1', 'published']);
    await second.write(batch('2', ['2']));
    await second.finish();
    await second.close();
    assert.equal(text('other.csv'), 'id,name\n1,a\n2,\n');
    await session.close();
  });

  test('what is reported as deleted is passed over where rows are kept', async () => {
    const session = await folder.session({ path: '.' });
    const gone = Batch.ofRows([['1']], { position: '2', operation: 'delete' });
    const strict = await session.write(request('gone'));
    await assert.rejects(strict.write(gone), { kind: 'config', code: 'DELETES_UNSUPPORTED' });
    await strict.close();
    const lenient = await session.write(request('gone', { deletes: 'keep' }));
    await lenient.write(batch('1', ['1', 'a']));
    assert.deepEqual((await lenient.write(gone)).deleted, 0);
    await lenient.finish();
    await lenient.close();
    assert.equal(text('gone.csv'), 'id,name\n1,a\n');
    const next = await session.write(request('gone', { deletes: 'keep' }));
    assert.equal(next.checkpoint, '2');
    await next.close();
    await session.close();
  });
});

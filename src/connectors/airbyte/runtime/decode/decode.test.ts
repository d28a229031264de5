import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import type { OutsideError } from '../../../../outside/errors.ts';
import { Reply } from '../request/reply.ts';
import type { AirbyteSession } from '../session.ts';
import { bodiesOf, decoderOf } from './decoder.ts';

const told: string[] = [];
const session = { tell: (_: string, message: string) => void told.push(message) } as unknown as AirbyteSession;

function decoded(part: object | undefined, body: Buffer | string): Promise<unknown[]> {
  const reply = new Reply({ status: 200, headers: {}, url: new URL('http://api/x') }, Buffer.from(body));
  return bodiesOf(decoderOf(session, part as never), reply);
}

test('JSON is one body, or the entries of a list; anything else is an empty object', async () => {
  assert.deepEqual(await decoded(undefined, '{"a":1}'), [{ a: 1 }]);
  assert.deepEqual(await decoded({ type: 'JsonDecoder' }, '[{"a":1},{"a":2}]'), [{ a: 1 }, { a: 2 }]);
  assert.deepEqual(await decoded(undefined, '[]'), [{}]);
  assert.deepEqual(await decoded(undefined, '<html>'), [{}]);
});

test('numbers that a double does not hold keep their digits', async () => {
  const [body] = await decoded(undefined, '{"id":9007199254740993,"price":0.12345678901234567891,"hash":"1e5"}');
  assert.equal(JSON.stringify(body), '{"id":9007199254740993,"price":0.12345678901234567891,"hash":"1e5"}');
});

test('lines: JSON, and plain text', async () => {
  assert.deepEqual(await decoded({ type: 'JsonlDecoder' }, '{"a":1}\r\nnot json\n\n{"a":2}'), [{ a: 1 }, { a: 2 }]);
  assert.match(told.join(), /1 lines/);
  assert.deepEqual(await decoded({ type: 'IterableDecoder' }, 'one\ntwo\n'), [{ record: 'one' }, { record: 'two' }]);
});

test('CSV with quotes, line ends within them, other delimiters, and words for null', async () => {
  const text = 'id,name,note\r\n1,"A ""B"", C","two\nlines"\r\n\r\n2,,n/a\r\n3,short';
  assert.deepEqual(await decoded({ type: 'CsvDecoder', set_values_to_none: ['', 'n/a'] }, text), [
    { id: '1', name: 'A "B", C', note: 'two\nlines' },
    { id: '2', name: null, note: null },
    { id: '3', name: 'short', note: null },
  ]);
  assert.deepEqual(await decoded({ type: 'CsvDecoder', delimiter: '\\t', encoding: 'latin1' }, Buffer.from('a\tb\n\xe4\t2', 'latin1')), [
    { a: 'ä', b: '2' },
  ]);
  await assert.rejects(
    decoded({ type: 'CsvDecoder', encoding: 'klingon' }, 'a\n1'),
    (error: OutsideError) => error.code === 'ENCODING_UNKNOWN',
  );
});

test('gzip around another decoder, also when it is not packed after all', async () => {
  const part = { type: 'GzipDecoder', decoder: { type: 'CsvDecoder' } };
  assert.deepEqual(await decoded(part, gzipSync('a,b\n1,2')), [{ a: '1', b: '2' }]);
  assert.deepEqual(await decoded(part, 'a,b\n1,2'), [{ a: '1', b: '2' }]);
  const broken = gzipSync('a,b\n1,2').subarray(0, 20);
  await assert.rejects(decoded(part, broken), (error: OutsideError) => error.kind === 'transient' && error.code === 'ANSWER_BROKEN');
});

test('ZIP: all files in it, one after the other', async () => {
  const part = { type: 'ZipfileDecoder', decoder: { type: 'JsonlDecoder' } };
  assert.deepEqual(await decoded(part, zip({ 'one.jsonl': '{"a":1}', 'folder/': '', 'folder/two.jsonl': '{"a":2}\n{"a":3}' })), [
    { a: 1 },
    { a: 2 },
    { a: 3 },
  ]);
  await assert.rejects(decoded(part, 'no zip'), (error: OutsideError) => error.code === 'ANSWER_BROKEN');
});

test('XML: attributes, text, repeated elements, entities; what is none is an empty object', async () => {
  const text = `<?xml version="1.0"?><!-- list --><list count="2"><item id="1">A &amp; B</item><item id='2'><![CDATA[<c>]]></item><none/><name> x </name></list>`;
  assert.deepEqual(await decoded({ type: 'XmlDecoder' }, text), [
    {
      list: {
        '@count': '2',
        item: [
          { '@id': '1', '#text': 'A & B' },
          { '@id': '2', '#text': '<c>' },
        ],
        none: null,
        name: 'x',
      },
    },
  ]);
  for (const bad of ['<a><b></a></b>', '<a>', 'text', '<a>'.repeat(5000)])
    assert.deepEqual(await decoded({ type: 'XmlDecoder' }, bad), [{}], bad.slice(0, 20));
});

/** A ZIP of some files, as small as it can be. */
function zip(files: Record<string, string>): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(packed.length, 18);
    head.writeUInt32LE(content.length, 22);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    entries.push(entry, Buffer.from(name));
    bodies.push(head, Buffer.from(name), packed);
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, ...entries, end]);
}

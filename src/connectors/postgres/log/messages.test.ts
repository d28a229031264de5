import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LoggedValue } from '../../changes.ts';
import { type WalColumn, WalUnreadable, type LogMessage, MessageReader, type ColumnPlaces } from './messages.ts';

// What the server sends, spelled as its documentation has it, is what comes out.

const u8 = (value: number): Buffer => Buffer.from([value]);
const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
};
const letter = (text: string): Buffer => Buffer.from(text);
const string = (text: string): Buffer => Buffer.from(`${text}\0`);

function tupleBytes(values: readonly LoggedValue[]): Buffer {
  const columns = values.map((value) => {
    if (value === null) return letter('n');
    if (value === undefined) return letter('u');
    const text = Buffer.from(value);
    return Buffer.concat([letter('t'), u32(text.length), text]);
  });
  return Buffer.concat([u16(values.length), ...columns]);
}

const insertBytes = (relation: number, row: readonly LoggedValue[]): Buffer =>
  Buffer.concat([letter('I'), u32(relation), letter('N'), tupleBytes(row)]);
const updateBytes = (relation: number, row: readonly LoggedValue[], old?: { kind: 'K' | 'O'; row: readonly LoggedValue[] }): Buffer =>
  Buffer.concat([letter('U'), u32(relation), ...(old ? [letter(old.kind), tupleBytes(old.row)] : []), letter('N'), tupleBytes(row)]);
const deleteBytes = (relation: number, kind: 'K' | 'O', row: readonly LoggedValue[]): Buffer =>
  Buffer.concat([letter('D'), u32(relation), letter(kind), tupleBytes(row)]);
const relationBytes = (relation: number, schema: string, name: string, columns: readonly WalColumn[]): Buffer =>
  Buffer.concat([
    letter('R'),
    u32(relation),
    string(schema),
    string(name),
    letter('d'),
    u16(columns.length),
    ...columns.flatMap(({ isIdentity, name: column, type, modifier }) => [
      u8(isIdentity ? 1 : 0),
      string(column),
      u32(type),
      u32(modifier),
    ]),
  ]);

/** Reads bytes that lie somewhere among others. */
function readOf(bytes: Buffer, places?: ColumnPlaces): LogMessage | undefined {
  const among = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('behind')]);
  return new MessageReader(() => places).read(among, 6, 6 + bytes.length);
}

const oid = fc.integer({ min: 1, max: 2 ** 32 - 1 });
const lsn = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => !text.includes('\0'));
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const value = fc.oneof({ weight: 5, arbitrary: text }, fc.constant(null), fc.constant(undefined));

/** A table: which of its columns are wanted, and in which order; some of them are the key. */
const table = fc
  .record({
    columns: fc.integer({ min: 1, max: 12 }),
    order: fc.array(fc.double({ noNaN: true }), { minLength: 12, maxLength: 12 }),
    wanted: fc.integer({ min: 1, max: 12 }),
  })
  .chain(({ columns, order, wanted }) => {
    const sorted = Array.from({ length: columns }, (_, column) => column).sort((a, b) => (order[a] ?? 0) - (order[b] ?? 0));
    const chosen = sorted.slice(0, wanted);
    const key = chosen.slice(0, Math.ceil(chosen.length / 3));
    const row = (of: fc.Arbitrary<LoggedValue>): fc.Arbitrary<LoggedValue[]> => fc.array(of, { minLength: columns, maxLength: columns });
    return fc.record({
      chosen: fc.constant(chosen),
      key: fc.constant(key),
      places: fc.constant<ColumnPlaces>({
        row: Int32Array.from({ length: columns }, (_, column) => chosen.indexOf(column)),
        width: chosen.length,
        key: Int32Array.from({ length: columns }, (_, column) => key.indexOf(column)),
        keyWidth: key.length,
      }),
      row: row(value),
      old: row(fc.oneof(text as fc.Arbitrary<LoggedValue>, fc.constant(null))),
    });
  });

test('rows come out as they went in: in the order wanted, what has not changed as absent', () => {
  fc.assert(
    fc.property(oid, table, (relation, { places, chosen, key, row, old }) => {
      const wanted = chosen.map((column) => row[column]);
      assert.deepEqual(readOf(insertBytes(relation, row), places), { tag: 'insert', relation, row: wanted });
      assert.deepEqual(readOf(updateBytes(relation, row), places), { tag: 'update', relation, row: wanted, before: undefined });
      const before = key.map((column) => old[column]);
      for (const kind of ['K', 'O'] as const) {
        assert.deepEqual(readOf(deleteBytes(relation, kind, old), places), { tag: 'delete', relation, key: before });
        // The whole row before has what is absent; the key has it of the key alone.
        const filled = chosen.map((column) =>
          row[column] === undefined && (kind === 'O' || key.includes(column)) ? old[column] : row[column],
        );
        assert.deepEqual(readOf(updateBytes(relation, row, { kind, row: old }), places), { tag: 'update', relation, row: filled, before });
      }
      assert.equal(readOf(insertBytes(relation, row)), undefined);
    }),
    { numRuns: 500 },
  );
});

test('tables, transactions and truncates come out as they went in', () => {
  const column = fc.record(
    { name, isIdentity: fc.boolean(), type: oid, modifier: fc.integer({ min: -1, max: 2 ** 31 - 1 }) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(
      oid,
      name,
      name,
      fc.array(column, { maxLength: 20 }),
      lsn,
      fc.array(oid, { maxLength: 5 }),
      (relation, schema, table_, columns, at, relations) => {
        assert.deepEqual(readOf(relationBytes(relation, schema, table_, columns)), {
          tag: 'relation',
          relation,
          schema,
          name: table_,
          columns,
        });
        assert.deepEqual(readOf(Buffer.concat([letter('B'), u64(at), u64(5n), u32(7)])), { tag: 'begin', lsn: at });
        const micros = 1_700_000_000_000_000n;
        assert.deepEqual(readOf(Buffer.concat([letter('C'), u8(0), u64(1n), u64(at), u64(micros)])), {
          tag: 'commit',
          end: at,
          at: 946_684_800_000 + 1_700_000_000_000,
        });
        assert.deepEqual(readOf(Buffer.concat([letter('T'), u32(relations.length), u8(1), ...relations.map(u32)])), {
          tag: 'truncate',
          relations,
        });
      },
    ),
  );
  for (const beside of ['O', 'Y', 'M']) assert.equal(readOf(Buffer.concat([letter(beside), Buffer.alloc(20)])), undefined);
});

test('pieces of transactions come out as they went in, and what is in them says first whose it is', () => {
  const places = { row: Int32Array.of(0), width: 1, key: Int32Array.of(0), keyWidth: 1 };
  fc.assert(
    fc.property(oid, oid, lsn, text, fc.boolean(), (relation, transaction, at, given, isFirst) => {
      const reader = new MessageReader(() => places);
      const read = (...parts: Buffer[]): LogMessage | undefined => reader.read(Buffer.concat(parts), 0, Buffer.concat(parts).length);
      const inPiece = (message: Buffer): Buffer => Buffer.concat([message.subarray(0, 1), u32(transaction), message.subarray(1)]);
      const row = [given];
      assert.deepEqual(read(letter('S'), u32(transaction), u8(isFirst ? 1 : 0)), { tag: 'piece', transaction, isFirst });
      assert.deepEqual(read(inPiece(insertBytes(relation, row))), { tag: 'insert', relation, row });
      assert.deepEqual(read(inPiece(updateBytes(relation, row))), { tag: 'update', relation, row, before: undefined });
      assert.deepEqual(read(inPiece(deleteBytes(relation, 'K', row))), { tag: 'delete', relation, key: row });
      assert.deepEqual(read(inPiece(Buffer.concat([letter('T'), u32(1), u8(0), u32(relation)]))), {
        tag: 'truncate',
        relations: [relation],
      });
      assert.deepEqual(read(inPiece(relationBytes(relation, 's', 't', []))), {
        tag: 'relation',
        relation,
        schema: 's',
        name: 't',
        columns: [],
      });
      assert.deepEqual(read(letter('E')), { tag: 'piece stop' });
      assert.deepEqual(read(insertBytes(relation, row)), { tag: 'insert', relation, row });
      assert.deepEqual(read(letter('A'), u32(transaction), u32(9)), { tag: 'piece abort', transaction });
      const micros = 1_700_000_000_000_000n;
      assert.deepEqual(read(letter('c'), u32(transaction), u8(0), u64(1n), u64(at), u64(micros)), {
        tag: 'piece commit',
        transaction,
        end: at,
        at: 946_684_800_000 + 1_700_000_000_000,
      });
    }),
  );
});

test('what is cut off or not known is refused, and never taken for something else', () => {
  fc.assert(
    fc.property(oid, table, fc.nat(), (relation, { places, row, old }, cut) => {
      for (const whole of [
        insertBytes(relation, row),
        updateBytes(relation, row, { kind: 'O', row: old }),
        deleteBytes(relation, 'K', old),
      ]) {
        const piece = whole.subarray(0, 1 + (cut % (whole.length - 1)));
        assert.throws(
          () => new MessageReader(() => places).read(piece, 0, piece.length),
          (error) => error instanceof WalUnreadable || error instanceof RangeError,
        );
      }
    }),
  );
  assert.throws(() => readOf(letter('Z')), WalUnreadable);
  assert.throws(
    () => readOf(Buffer.concat([insertBytes(1, ['a']), u8(0)]), { row: Int32Array.of(0), width: 1, key: Int32Array.of(0), keyWidth: 1 }),
    WalUnreadable,
  );
  assert.throws(() => new MessageReader(() => undefined).read(Buffer.from('R\0\0\0\x01nozero'), 0, 11), WalUnreadable);
});

import assert from 'node:assert/strict';
import { CANONICAL_TYPES, type CanonicalType, type Row } from '../canonical.ts';
import type { Field } from '../contract.ts';
import { type Digesting, type DigestRows, digestOf } from '../digests.ts';
import type { NewStream } from './harness.ts';
import type { Case, Kit } from './kit.ts';
import { NASTY_VALUES } from './streams.ts';
import { numbers, start } from './write.ts';

/** What every system that digests has to digest. */
const NEEDED: ReadonlySet<CanonicalType> = new Set(['int64', 'text']);

/** That a system digests its rows to the bytes that all others do. */
export const digestCases: readonly Case[] = [
  {
    name: 'digests of every type are those of the rows as they are read, or there are none',
    run: async (kit) => {
      if (!kit.isFree()) return;
      for (const type of CANONICAL_TYPES) {
        const fields: Field[] = [
          { name: 'id', type: 'int64', nullable: false },
          { name: 'v', type, nullable: true, ...(type === 'decimal' && { precision: 38, scale: 10 }) },
        ];
        const usable = NASTY_VALUES[type].filter(
          (value) => !kit.harness.lacks?.(type, value) && (type !== 'decimal' || fitsDecimal(value)),
        );
        const rows = [null, ...usable].map((value, at): Row => [String(at), value]);
        const stream = await kit.create({ name: kit.name(`digest_${type}`), fields, key: ['id'], rows });
        await assertDigested(kit, stream, kit.typeOf(fields[1] as Field), NEEDED.has(type));
      }
    },
  },
  {
    name: 'digests are cut where they are asked to be, tails included, and those of rows that differ are others',
    run: async (kit) => {
      const stream = await start(kit, 25);
      const { digests, asked } = await digesting(kit, stream);
      if (!digests || (await digests.cuts({ ...asked, rows: 10, most: 5 })) === undefined) return;
      assert.deepEqual(await digests.cuts({ ...asked, rows: 10, most: 5 }), ['11', '21']);
      assert.deepEqual(await digests.cuts({ ...asked, from: '3', rows: 10, most: 2 }), ['13', '23']);
      assert.deepEqual(await digests.cuts({ ...asked, rows: 10, most: 1 }), ['11']);
      assert.deepEqual(await digests.cuts({ ...asked, rows: 100, most: 5 }), []);
      const cuts = ['-5', '11', '12', '900'];
      const whole = await digests.digest({ ...asked, cuts });
      assert.deepEqual(
        whole?.map(({ rows }) => rows),
        [0, 10, 1, 14, 0],
      );
      const some = await digests.digest({ ...asked, from: '5', cuts: ['11'], below: '12' });
      assert.deepEqual(
        some?.map(({ rows }) => rows),
        [6, 1],
      );
      assert.deepEqual(some?.[1], whole?.[2], 'the same rows, however they are asked for');
      assert.deepEqual(await digests.digest({ ...asked, cuts: [] }), [digestOf(asked.fields, (await kit.read(stream)).rows)]);
      await kit.change(stream, { put: [kit.shape.row(11, 1)] });
      const after = await digests.digest({ ...asked, cuts });
      assert.deepEqual(
        after?.map(({ digest }, at) => digest === whole?.[at]?.digest),
        [true, true, false, true, true],
      );
      await kit.change(stream, { put: numbers(kit, 11, 11), remove: [['25']] });
      const less = await digests.digest({ ...asked, cuts });
      assert.deepEqual(
        less?.map(({ rows, digest }, at) => [rows, digest === whole?.[at]?.digest]),
        [
          [0, true],
          [10, true],
          [1, true],
          [13, false],
          [0, true],
        ],
      );
    },
  },
  {
    name: 'keys of several fields are cut by the first, and ordered by the bytes of all, whatever a collation thinks',
    run: async (kit) => {
      if (!kit.isFree()) return;
      const fields: Field[] = [
        { name: 'part', type: 'int64', nullable: false },
        { name: 'code', type: 'text', nullable: false },
        { name: 'v', type: 'text', nullable: true },
      ];
      const codes = ['a', 'Z', 'é', '_x', '-', 'zz', '🙂', '\uffee', 'e', '', 'ß', 'ss'];
      const rows = Array.from({ length: 36 }, (_, at): Row => [String(Math.floor(at / 12)), codes[at % 12] ?? '', `v ${at}`]);
      const stream = await kit.create({ name: kit.name('digest_keys'), fields, key: ['part', 'code'], rows });
      const { digests, asked } = await digesting(kit, stream);
      const found = await digests?.digest({ ...asked, cuts: ['1'] });
      assert.ok(found, 'such keys have to be digested');
      const ordered = sortedBy((await kit.read(stream)).rows, [0, 1]);
      assert.deepEqual(found, [digestOf(asked.fields, ordered.slice(0, 12)), digestOf(asked.fields, ordered.slice(12))]);
      assert.deepEqual(await digests?.cuts({ ...asked, rows: 5, most: 4 }), ['0', '0', '1', '1']);
    },
  },
];

function sortedBy(rows: readonly Row[], places: readonly number[]): Row[] {
  const compared = (one: Row, other: Row): number => {
    for (const place of places) {
      const [left, right] = [one[place] ?? '', other[place] ?? ''];
      const order = place === 0 ? Number(left) - Number(right) : Buffer.compare(Buffer.from(left), Buffer.from(right));
      if (order !== 0) return order;
    }
    return 0;
  };
  return rows.toSorted(compared);
}

function fitsDecimal(value: string): boolean {
  return /^-?\d{1,28}(\.\d{1,10})?$/.test(value);
}

async function digesting(kit: Kit, stream: NewStream): Promise<{ digests: Digesting | undefined; asked: DigestRows }> {
  const { digests } = await kit.session();
  const fields = stream.fields.map((field) => ({ name: field.name, type: kit.typeOf(field) }));
  const asked = { stream: stream.name, fields, key: stream.key as readonly [string, ...string[]], filters: [], signal: kit.stop.signal };
  return { digests, asked };
}

async function assertDigested(kit: Kit, stream: NewStream, type: CanonicalType, isNeeded: boolean): Promise<void> {
  const { digests, asked } = await digesting(kit, stream);
  assert.ok(digests, 'the manifest claims it');
  const cuts = ['1', '2', '5'];
  const found = await digests.digest({ ...asked, cuts });
  if (found === undefined) {
    assert.ok(!isNeeded, `${type} has to be digested`);
    kit.notes.push(`${type} is not digested`);
    return;
  }
  const { rows } = await kit.read(stream);
  const bounds = [0, 1, 2, 5, rows.length];
  const expected = bounds.slice(1).map((below, at) => digestOf(asked.fields, rows.slice(bounds[at], below)));
  assert.deepEqual(found, expected, `digests of ${type}`);
}

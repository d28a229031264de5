import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { little, long } from '../../../../test/support/mysql-events.ts';
import { jsonText } from './binary-json.ts';
import { ByteCursor } from './cursor.ts';
import { decimalBytes, readDecimal } from './decimals.ts';
import { wkbOf } from './geometry.ts';
import { GtidSet, parseDomains, printDomains } from './gtids.ts';
import { fromLogPosition, isPlaceBefore, toLogPosition } from './positions.ts';
import { meaningOfStatement } from './statements.ts';
import { readDatetime, readTime, readTimestamp } from './temporal.ts';

/** A decimal as the server stores it, made by the description of the format and not by our reader. */
function storedDecimal(text: string, precision: number, scale: number): Buffer {
  const isNegative = text.startsWith('-');
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const sizes = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];
  const group = (digits: string): Buffer => {
    const bytes = Buffer.alloc(sizes[digits.length] as number);
    if (bytes.length > 0) bytes.writeUIntBE(Number(digits), 0, bytes.length);
    return bytes;
  };
  const left = whole.padStart(precision - scale, '0').slice(-(precision - scale) || precision);
  const digits = precision === scale ? '' : left;
  const parts = [group(digits.slice(0, digits.length % 9))];
  for (let at = digits.length % 9; at < digits.length; at += 9) parts.push(group(digits.slice(at, at + 9)));
  const right = fraction.padEnd(scale, '0');
  for (let at = 0; at < scale; at += 9) parts.push(group(right.slice(at, at + 9)));
  const bytes = Buffer.concat(parts);
  bytes[0] = (bytes[0] as number) ^ 0x80;
  return isNegative ? Buffer.from(bytes.map((byte) => byte ^ 0xff)) : bytes;
}

describe('values of the log', () => {
  test('decimals of any precision', () => {
    const decimal = fc.tuple(fc.integer({ min: 1, max: 65 }), fc.nat(30), fc.boolean()).chain(([precision, most, isNegative]) => {
      const scale = Math.min(precision, most);
      const digits = fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: precision, maxLength: precision });
      return digits.map((all) => {
        const whole = all.slice(0, precision - scale).replace(/^0+(?=\d)/, '') || '0';
        const text = scale > 0 ? `${whole}.${all.slice(precision - scale)}` : whole;
        return { precision, scale, text: isNegative && /[1-9]/.test(text) ? `-${text}` : text };
      });
    });
    fc.assert(
      fc.property(decimal, ({ precision, scale, text }) => {
        const bytes = storedDecimal(text, precision, scale);
        assert.equal(bytes.length, decimalBytes(precision, scale));
        assert.equal(readDecimal(new ByteCursor(bytes), precision, scale), text);
      }),
      { numRuns: 1000 },
    );
  });

  test('times below zero and above a day, with any fraction', () => {
    const time = fc.record({
      sign: fc.constantFrom(1, -1),
      hour: fc.nat(838),
      minute: fc.nat(59),
      second: fc.nat(59),
      micros: fc.nat(999_999),
      digits: fc.nat(6),
    });
    fc.assert(
      fc.property(time, ({ sign, hour, minute, second, micros, digits }) => {
        const length = (digits + 1) >> 1;
        const kept = Math.floor(micros / 10 ** (6 - digits));
        const stored = digits % 2 === 1 ? kept * 10 : kept;
        const size = ((hour << 12) | (minute << 6) | second) * 256 ** length + stored;
        const bytes = Buffer.alloc(3 + length);
        bytes.writeUIntBE(0x80_0000 * 256 ** length + sign * size, 0, 3 + length);
        const two = (number: number): string => String(number).padStart(2, '0');
        const text = `${two(hour)}:${two(minute)}:${two(second)}${digits > 0 ? `.${String(kept).padStart(digits, '0')}` : ''}`;
        assert.equal(readTime(new ByteCursor(bytes), digits), sign < 0 && size > 0 ? `-${text}` : text);
      }),
    );
  });

  test('moments, as Date spells them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0xffff_ffff }), fc.nat(999), (seconds, millis) => {
        const bytes = Buffer.alloc(6);
        bytes.writeUInt32BE(seconds);
        bytes.writeUInt16BE(millis * 10, 4);
        const expected = new Date(seconds * 1000 + millis).toISOString().replace('T', ' ').replace('Z', '');
        assert.equal(readTimestamp(new ByteCursor(bytes), 3), expected);
      }),
    );
    fc.assert(
      fc.property(fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        const packed =
          ((date.getUTCFullYear() * 13 + date.getUTCMonth() + 1) * 32 + date.getUTCDate()) * 0x2_0000 +
          ((date.getUTCHours() << 12) | (date.getUTCMinutes() << 6) | date.getUTCSeconds());
        const bytes = Buffer.alloc(5);
        bytes.writeUIntBE(packed + 0x80_0000_0000, 0, 5);
        assert.equal(readDatetime(new ByteCursor(bytes), 0), date.toISOString().slice(0, 19).replace('T', ' '));
      }),
    );
  });
});

/** JSON in MySQL's own form, made by its description. */
function binaryJson(value: unknown, isLarge: boolean): { type: number; bytes: Buffer } {
  if (value === null || typeof value === 'boolean') return { type: 4, bytes: Buffer.from([value === null ? 0 : value ? 1 : 2]) };
  if (typeof value === 'bigint') return value < 0n ? { type: 9, bytes: long(value) } : { type: 10, bytes: long(value) };
  if (typeof value === 'number') {
    if (Number.isInteger(value) && Math.abs(value) < 30_000) return { type: 5, bytes: little(value & 0xffff, 2) };
    if (Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31) return { type: 7, bytes: little(value >>> 0, 4) };
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return { type: 11, bytes };
  }
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    const length: number[] = [];
    for (let rest = text.length; ; rest = Math.floor(rest / 128)) {
      length.push(rest < 128 ? rest : (rest % 128) | 0x80);
      if (rest < 128) break;
    }
    return { type: 12, bytes: Buffer.concat([Buffer.from(length), text]) };
  }
  const isArray = Array.isArray(value);
  const entries = isArray ? value.map((member): [string, unknown] => ['', member]) : Object.entries(value as object);
  const width = isLarge ? 4 : 2;
  const names = isArray ? [] : entries.map(([name]) => Buffer.from(name));
  const headers = 2 * width + names.length * (width + 2) + entries.length * (width + 1);
  let at = headers;
  const nameEntries = names.map((name) => {
    const entry = Buffer.concat([little(at, width), little(name.length, 2)]);
    at += name.length;
    return entry;
  });
  const bodies: Buffer[] = [];
  const valueEntries = entries.map(([, member]) => {
    const { type, bytes } = binaryJson(member, isLarge);
    const isInline = type === 4 || type === 5 || (isLarge && type === 7);
    if (isInline) return Buffer.concat([Buffer.from([type]), bytes, Buffer.alloc(width - bytes.length)]);
    const entry = Buffer.concat([Buffer.from([type]), little(at, width)]);
    bodies.push(bytes);
    at += bytes.length;
    return entry;
  });
  const bytes = Buffer.concat([little(entries.length, width), little(at, width), ...nameEntries, ...valueEntries, ...names, ...bodies]);
  return { type: (isArray ? 2 : 0) + (isLarge ? 1 : 0), bytes };
}

describe('geometries', () => {
  const point = (x: number, y: number): Buffer => {
    const bytes = Buffer.alloc(16);
    bytes.writeDoubleLE(x, 0);
    bytes.writeDoubleLE(y, 8);
    return bytes;
  };
  const shape = (type: number, ...parts: Buffer[]): Buffer => Buffer.concat([Buffer.from([1]), little(type, 4), ...parts]);

  test('axes are turned where the reference system has the latitude first, in every kind of shape', () => {
    const made = (x: number, y: number): Buffer =>
      shape(
        7,
        little(4, 4),
        shape(1, point(x, y)),
        shape(2, little(2, 4), point(x, y), point(x + 2, y + 2)),
        shape(3, little(1, 4), little(3, 4), point(x, y), point(x, y), point(x, y)),
        shape(4, little(1, 4), shape(1, point(x, y))),
      );
    assert.deepEqual(wkbOf(Buffer.concat([little(4326, 4), made(13, 52)]), new Set([4326])).subarray(0, 30), made(52, 13).subarray(0, 30));
    assert.deepEqual(wkbOf(Buffer.concat([little(0, 4), made(13, 52)]), new Set([4326])), made(13, 52));
    assert.deepEqual(wkbOf(Buffer.concat([little(4326, 4), shape(1, point(13, 52))]), new Set([4326])), shape(1, point(52, 13)));
    assert.throws(() => wkbOf(Buffer.concat([little(4326, 4), shape(2, little(9, 4))]), new Set([4326])), /contradicts/);
  });
});

describe('JSON of MySQL', () => {
  test('any document is what it was, small and large', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (value, isLarge) => {
        const { type, bytes } = binaryJson(value, isLarge);
        const text = jsonText(Buffer.concat([Buffer.from([type]), bytes]));
        assert.deepEqual(
          JSON.parse(text),
          JSON.parse(JSON.stringify(value), (_, member: unknown) => (Object.is(member, -0) ? 0 : member)),
        );
      }),
    );
  });

  test('it is spelled as the server does', () => {
    const text = (value: unknown): string => {
      const { type, bytes } = binaryJson(value, false);
      return jsonText(Buffer.concat([Buffer.from([type]), bytes]));
    };
    assert.equal(text({ a: [1, null, true], b: { c: 'ä"\n' } }), '{"a": [1, null, true], "b": {"c": "ä\\"\\n"}}');
    assert.equal(text([1e20, 0.1, 1e300, 40_000]), '[100000000000000000000.0, 0.1, 1e300, 40000]');
    assert.equal(text([18_446_744_073_709_551_615n, -9_223_372_036_854_775_808n]), '[18446744073709551615, -9223372036854775808]');
    const opaque = (type: number, bytes: Buffer): string => jsonText(Buffer.concat([Buffer.from([15, type, bytes.length]), bytes]));
    assert.equal(opaque(246, Buffer.concat([Buffer.from([5, 2]), storedDecimal('-123.45', 5, 2)])), '-123.45');
    const day = BigInt((2026 * 13 + 11) * 32 + 15) << 17n;
    const clock = BigInt((4 << 12) | (42 << 6) | 11);
    assert.equal(opaque(10, long(day << 24n)), '"2026-11-15"');
    assert.equal(opaque(12, long(((day | clock) << 24n) + 123n)), '"2026-11-15 04:42:11.000123"');
    assert.equal(opaque(11, long(-(clock << 24n))), '"-04:42:11.000000"');
    assert.equal(opaque(252, Buffer.from('ab')), '"base64:type252:YWI="');
    assert.equal(jsonText(Buffer.alloc(0)), 'null');
  });

  test('what is broken is an error of the protocol, never a hang or a crash', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          jsonText(Buffer.from(bytes));
        } catch (error) {
          assert.ok((error as Error).name === 'OutsideError', String(error));
        }
      }),
    );
  });
});

describe('numbers of transactions', () => {
  test('sets of MySQL', () => {
    const one = '3e11fa47-71ca-11e1-9e33-c80aa9429562';
    const two = '4e11fa47-71ca-11e1-9e33-c80aa9429562';
    const set = GtidSet.parse(`${one}:1-5:11,\n${two.toUpperCase()}:3`);
    set.add(one, 6n);
    set.add(one, 8n);
    set.add(one, 7n);
    assert.equal(String(set), `${one}:1-8:11,${two}:3`);
    assert.ok(
      GtidSet.parse(`${one}:2-8`).isWithin(set) && !GtidSet.parse(`${one}:8-9`).isWithin(set) && !GtidSet.parse(`${two}:4`).isWithin(set),
    );
    assert.deepEqual(
      GtidSet.parse(`${two}:3-4`).encoded(),
      Buffer.concat([long(1n), Buffer.from(two.replaceAll('-', ''), 'hex'), long(1n), long(3n), long(5n)]),
    );
    assert.ok(GtidSet.parse(`${one}:tag:1-3`).hasTags && !set.hasTags);
  });

  test('domains of MariaDB, and what lies before what', () => {
    assert.equal(printDomains(parseDomains('0-1-100,5-2-7')), '0-1-100,5-2-7');
    const place = (server: string, file: string, at: number, gtid?: string) =>
      fromLogPosition(toLogPosition({ server, file, at, made: 1, ...(gtid !== undefined && { gtid }) }));
    const before = (one: ReturnType<typeof place>, other: ReturnType<typeof place>): boolean[] => [
      isPlaceBefore(one, other),
      isPlaceBefore(other, one),
    ];
    assert.deepEqual(before(place('a', 'x.000009', 50), place('a', 'x.000010', 4)), [true, false]);
    assert.deepEqual(before(place('a', 'x.999999', 50), place('a', 'x.1000000', 4)), [true, false]);
    assert.deepEqual(before(place('a', 'x.000009', 50), place('a', 'x.000009', 50)), [false, false]);
    assert.deepEqual(before(place('a', 'x.000009', 50, '0-1-5'), place('b', 'y.000001', 4, '0-2-6')), [true, false]);
    assert.deepEqual(before(place('a', 'x.000009', 50, '0-1-5'), place('b', 'y.000001', 4, '0-1-5')), [false, false]);
    assert.deepEqual(before(place('a', 'x.000009', 50), place('b', 'y.000001', 4, '0-1-5')), [false, false]);
    assert.throws(() => fromLogPosition('null'), /none in a log/);
    assert.throws(() => fromLogPosition('{"server":"a","file":"b","at":"1","made":1}'), /none in a log/);
  });
});

describe('statements of the log', () => {
  const effects = (text: string): unknown => {
    const meaning = meaningOfStatement(text, 'shop');
    return meaning.is === 'tables'
      ? meaning.effects.map(({ database, table, what }) => `${database}.${table} ${what}`).join(', ')
      : meaning;
  };

  test('what they do to tables', () => {
    const cases: [string, unknown][] = [
      ['BEGIN', { is: 'begin' }],
      ['COMMIT', { is: 'commit' }],
      ['ROLLBACK', { is: 'rollback' }],
      ['SAVEPOINT `a``b`', { is: 'savepoint', name: 'a`b' }],
      ['ROLLBACK TO `a``b`', { is: 'rollback-to', name: 'a`b' }],
      ["XA START X'61',X'',1", { is: 'xa-start', xid: "X'61',X'',1" }],
      ['truncate orders', 'shop.orders truncated'],
      ['TRUNCATE TABLE `other`.`or``ders`', 'other.or`ders truncated'],
      ['/* app */ -- why\n truncate table orders', 'shop.orders truncated'],
      ['DROP TABLE IF EXISTS `a`, b.c /* generated by server */', 'shop.a dropped, b.c dropped'],
      ['drop temporary table x', ''],
      ['drop database `shop`', 'shop.undefined dropped'],
      ['RENAME TABLE a TO b, `x`.c TO d', 'shop.a replaced, shop.b replaced, x.c replaced, shop.d replaced'],
      ['create table if not exists t (id int)', 'shop.t created'],
      ['create or replace table t (id int)', 'shop.t replaced'],
      ['create index i on t (id)', ''],
      ['alter table `t` add column rename_me int', 'shop.t altered'],
      ["alter table t add c int comment 'rename to x', drop key k", 'shop.t altered'],
      ['alter table t rename column a to b', 'shop.t altered'],
      ['alter table t rename index a to b', 'shop.t altered'],
      ['alter table t rename to u', 'shop.t replaced, shop.u replaced'],
      ['alter table t rename x.u', 'shop.t replaced, x.u replaced'],
      ['alter table t drop partition p1', 'shop.t cut'],
      ['alter table t exchange partition p1 with table u', 'shop.t cut, shop.u cut'],
      ['insert into t values (1)', { is: 'rows' }],
      ['flush tables', { is: 'other' }],
      ['', { is: 'other' }],
    ];
    for (const [text, expected] of cases) assert.deepEqual(effects(text), expected, text);
    assert.equal(effects('/*!50003 DROP TABLE x */'), 'shop.x dropped');
  });

  test('no text keeps it busy', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('`', "'", '"', ' ', 'a', '/*', '*/', ',', '.', 'alter table ', 'rename to ', '\\'),
          maxLength: 200,
        }),
        (text) => void meaningOfStatement(text, 'x'),
      ),
    );
    const begun = performance.now();
    meaningOfStatement(`alter table ${'`'.repeat(50_000)}`, 'x');
    meaningOfStatement(`alter table t ${"'\\".repeat(50_000)}`, 'x');
    meaningOfStatement('/*'.repeat(50_000), 'x');
    meaningOfStatement(`drop table ${'a,'.repeat(50_000)}`, 'x');
    assert.ok(performance.now() - begun < 2000);
  });
});

import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { CanonicalType, Row } from '../../canonical.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { decodeRows } from '../../lines.ts';
import { type CsvDialect, splitRecord } from './dialect.ts';
import { CsvLines } from './lines.ts';
import { csvWriter } from '../text/writers.ts';

const COMMA: CsvDialect = { delimiter: 0x2c, quote: 0x22, escape: 'double', lonelyReturns: false, header: false, nulls: [''] };

interface Options {
  types?: readonly CanonicalType[];
  dialect?: CsvDialect;
  /** Where the bytes are cut into pieces. */
  cuts?: readonly number[];
  batchBytes?: number;
}

/** Gives the bytes piece by piece, as they would come from a disk. */
function read(text: string | Buffer, width: number, { types = [], dialect = COMMA, cuts = [], batchBytes = 1000 }: Options = {}) {
  const bytes = Buffer.from(text);
  const columns = Array.from({ length: width }, (_, slot) => ({ name: `c${slot}`, type: types[slot] ?? ('text' as const), slot }));
  const lines = new CsvLines({ dialect, columns, constants: new Map(), width, batchBytes }, 1);
  const rows: Row[] = [];
  const rejects: { reason: string; field?: string; row: unknown }[] = [];
  const ends = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...ends, bytes.length]) {
    // A copy with room for one byte, so that nothing behind the piece can be seen.
    const isEnd = to === bytes.length;
    const piece = Buffer.concat([bytes.subarray(from, to), Buffer.alloc(1)]);
    for (let at = 0; ; ) {
      const next = lines.parse(piece, at, to - from, isEnd, !isUtf8(bytes.subarray(from, to)));
      const { lines: made, count, rejects: bad } = lines.take();
      assert.equal(decodeRows(made).length, count);
      rows.push(...decodeRows(made));
      rejects.push(...bad);
      if (next === at || next >= to - from) {
        from += next;
        break;
      }
      at = next;
    }
  }
  return { rows, rejects, line: lines.line };
}

const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\0', '0')),
  fc.string({ unit: fc.constantFrom('a', 'ü', '😀', ' ', ',', ';', '\t', '|', '"', "'", '\\', '\n', '\r', '\r\n'), maxLength: 12 }),
  fc.constantFrom('', 'NULL', '\\N'),
);
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) =>
    fc.array(fc.array(fc.option(cell, { nil: null, freq: 6 }), { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
  );
const dialects = fc.record({
  delimiter: fc.constantFrom(0x2c, 0x3b, 0x09, 0x7c),
  quote: fc.constantFrom(0x22, 0x27),
  escape: fc.constantFrom('double' as const, 'backslash' as const),
  lonelyReturns: fc.constant(false),
  header: fc.constant(false),
  nulls: fc.constantFrom<string[]>([''], ['', 'NULL'], ['\\N']),
});
const places = fc.array(fc.nat(300), { maxLength: 12 });

function written(rows: readonly Row[], dialect: CsvDialect): string {
  const { row } = csvWriter(
    dialect,
    (rows[0] ?? []).map((_, at) => ({ name: `c${at}`, type: 'text', nullable: true })),
  );
  return rows.map(row).join('');
}

describe('CSV to lines', () => {
  test('any rows in any dialect come back as they were, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(table, dialects, places, fc.integer({ min: 1, max: 200 }), (rows, dialect, cuts, batchBytes) => {
        const found = read(written(rows, dialect), rows[0]?.length ?? 0, { dialect, cuts, batchBytes });
        assert.deepEqual(found.rejects, []);
        assert.deepEqual(found.rows, rows);
      }),
      { numRuns: 500 },
    );
  });
  test('it finds what csv-parse finds', () => {
    fc.assert(
      fc.property(table, dialects, places, fc.constantFrom('\n', '\r\n'), (rows, dialect, cuts, end) => {
        // csv-parse knows no null, and takes a backslash before anything as an escape.
        const plain = rows.map((row) => row.map((value) => (value ?? 'x').replaceAll('\\', '/')));
        const text = written(plain, { ...dialect, nulls: [] as string[] })
          .replace(/\n$/, '')
          .concat(end);
        const ours = read(text, plain[0]?.length ?? 0, { dialect: { ...dialect, nulls: [] as string[] }, cuts }).rows;
        const theirs = parse(text, {
          delimiter: String.fromCharCode(dialect.delimiter),
          quote: String.fromCharCode(dialect.quote),
          escape: dialect.escape === 'double' ? String.fromCharCode(dialect.quote) : '\\',
          recordDelimiter: ['\r\n', '\n'],
          relaxColumnCount: true,
        } as never) as unknown as string[][];
        assert.deepEqual(ours, theirs);
      }),
      { numRuns: 300 },
    );
  });
  test('the plain way and the quick way split alike', () => {
    fc.assert(
      fc.property(table, dialects, (rows, dialect) => {
        const bytes = Buffer.from(written(rows, dialect));
        for (let at = 0, n = 0; at < bytes.length; n++) {
          const record = splitRecord(bytes, at, bytes.length, dialect);
          assert.deepEqual(
            record.cells.map(({ text, quoted }) => (!quoted && dialect.nulls.includes(text) ? null : text)),
            rows[n],
          );
          assert.ok(record.ended);
          at = record.next;
        }
      }),
    );
  });
  test('line ends of every kind, none at the end, and blank lines', () => {
    for (const text of ['1,2\n3,4\n', '1,2\r\n3,4\r\n', '1,2\n3,4', '1,2\r\n\r\n\n3,4', '\n1,2\n\n3,4\n\n'])
      assert.deepEqual(read(text, 2).rows, [
        ['1', '2'],
        ['3', '4'],
      ]);
    assert.deepEqual(read('1,2\r3,4\r', 2, { dialect: { ...COMMA, lonelyReturns: true } }).rows, [
      ['1', '2'],
      ['3', '4'],
    ]);
    assert.deepEqual(read('a\rb,c\n', 2).rows, [['a\rb', 'c']], 'a lonely return is text where lines end otherwise');
    assert.deepEqual(read('a\n\nb\n', 1).rows, [['a'], [null], ['b']], 'of a single column, an empty line is a null');
  });
  test('an empty cell is null, a quoted empty one is an empty text, and null where no text can be', () => {
    assert.deepEqual(read(',"",x\n', 3).rows, [[null, '', 'x']]);
    assert.deepEqual(read('"","1"\n', 2, { types: ['int64', 'int64'] }).rows, [[null, '1']]);
    assert.deepEqual(read('NULL,"NULL"\n', 2, { dialect: { ...COMMA, nulls: ['NULL'] } }).rows, [[null, 'NULL']]);
  });
  test('NUL bytes, tabs and backslashes are text', () => {
    assert.deepEqual(read('a\0b,\\N\t\\\n', 2).rows, [['a\0b', '\\N\t\\']]);
  });

  test('bad rows are rejected with their line and field, and the rest goes on', () => {
    const { rows, rejects, line } = read('1,a\nx,b\n"2\n",c\n3\n4,d,e\n"5"6,f\n7,g\n', 2, { types: ['int64'] });
    assert.deepEqual(rows, [
      ['1', 'a'],
      ['2', 'c'],
      ['7', 'g'],
    ]);
    assert.deepEqual(
      rejects.map(({ reason, field }) => [reason, field]),
      [
        ['Line 2: "c0" is not of the type int64: "x".', 'c0'],
        ['Line 5: the row has 1 cell where the file has 2 columns.', undefined],
        ['Line 6: the row has 3 cells where the file has 2 columns.', undefined],
        ['Line 7: the row text stands behind a closing quote.', undefined],
      ],
    );
    assert.deepEqual(rejects[0]?.row, { c0: 'x', c1: 'b' });
    assert.equal(line, 9);
  });
  test('what is to blame is named as it stands in the file, and cut when it is long', () => {
    const long = `${'y'.repeat(99)}😀😀`;
    const { rejects } = read(`a,"x\t\n"" \\"\nb,${long}\n`, 2, { types: ['text', 'int64'] });
    assert.deepEqual(
      rejects.map(({ reason }) => reason),
      ['Line 1: "c1" is not of the type int64: "x\\t\\n\\" \\\\".', `Line 3: "c1" is not of the type int64: "${'y'.repeat(99)}\ufffd…".`],
    );
  });
  test('the first thing that is wrong with a row is told, with its own field', () => {
    const { rejects } = read('"1"2,x\ny,"3"4\n', 2, { types: ['text', 'int64'] });
    assert.deepEqual(
      rejects.map(({ reason, field }) => [reason, field]),
      [
        ['Line 1: the row text stands behind a closing quote.', undefined],
        ['Line 2: the row text stands behind a closing quote.', undefined],
      ],
    );
  });
  test('rows that have a value in a column that was not expected are rejected', () => {
    const columns = [
      { name: 'a', type: 'text' as const, slot: 0 },
      { name: 'new', type: 'text' as const, slot: -1, isUnknown: true },
    ];
    const lines = new CsvLines({ dialect: COMMA, columns, constants: new Map(), width: 1, batchBytes: 1000 }, 1);
    const bytes = Buffer.from('1,\n2,x\n3,""\n4,\n\0');
    lines.parse(bytes, 0, bytes.length - 1, true, false);
    const { lines: made, rejects } = lines.take();
    assert.deepEqual(decodeRows(made), [['1'], ['4']]);
    assert.deepEqual(
      rejects.map(({ reason, field }) => [reason, field]),
      [2, 3].map((line) => [`Line ${line}: "new" is a column that was not there when the stream was discovered.`, 'new']),
    );
  });
  test('a row with bytes that are no UTF-8 is rejected', () => {
    const bytes = Buffer.concat([Buffer.from('a,ü\nb,'), Buffer.from([0xff]), Buffer.from('\nc,d\n')]);
    const { rows, rejects } = read(bytes, 2);
    assert.deepEqual(rows, [
      ['a', 'ü'],
      ['c', 'd'],
    ]);
    assert.match(rejects[0]?.reason ?? '', /^Line 2: .*no text/);
  });
  test('a quote that is never closed is an error that names the line', () => {
    assert.throws(
      () => read('1,2\n3,"4\n5,6\n', 2),
      (error) => error instanceof OutsideError && error.kind === 'data' && error.code === 'QUOTE_OPEN' && /line 2/.test(error.message),
    );
  });
  test('a row larger than a batch grows, and rows before it go first', () => {
    const large = 'x'.repeat(3_000_000);
    const { rows } = read(`1,a\n2,${large}\n3,b\n`, 2, { batchBytes: 100 });
    assert.deepEqual(
      rows.map((row) => row[1]?.length),
      [1, large.length, 1],
    );
  });
});

describe('values of CSV', () => {
  const table: [CanonicalType, Record<string, string | undefined>][] = [
    [
      'int64',
      {
        '0': '0',
        '-7': '-7',
        '+007': '7',
        '-0': '0',
        '9223372036854775807': '9223372036854775807',
        '9223372036854775808': undefined,
        '1.5': undefined,
        ' 12 ': '12',
      },
    ],
    ['decimal', { '1.50': '1.50', '-0.5': '-0.5', '.5': '.5', '1e3': '1000', x: undefined, '1,5': undefined, NaN: 'NaN' }],
    ['float64', { '1.5': '1.5', '1e-7': '1e-7', Infinity: 'Infinity', '1.': '1.', e: undefined }],
    ['boolean', { true: 't', FALSE: 'f', t: 't', F: 'f', 1: undefined, tru: undefined }],
    ['date', { '2026-11-15': '2026-11-15', '2026-13-01': undefined, '2026-1-1': undefined, infinity: 'infinity' }],
    ['time', { '04:42:11': '04:42:11', '23:59:59.123456': '23:59:59.123456', '24:00:00': '24:00:00', '25:00:00': undefined }],
    ['timestamp', { '2026-11-15T04:42:11.5': '2026-11-15 04:42:11.5', '2026-11-15 04:42': '2026-11-15 04:42:00', '2026-11-15': undefined }],
    [
      'timestamptz',
      {
        '2026-11-15T04:42:11Z': '2026-11-15 04:42:11+00',
        '2026-11-15 04:42:11.120+00': '2026-11-15 04:42:11.120+00',
        '2026-11-15T04:42:11+00:00': '2026-11-15 04:42:11+00',
        '2026-11-15T05:42:11+01:00': '2026-11-15 04:42:11+00',
        '2026-11-15 04:42:11': undefined,
      },
    ],
    ['uuid', { '6F1C1D4E-0000-4000-8000-00000000000A': '6f1c1d4e-0000-4000-8000-00000000000a', '6f1c': undefined }],
    ['json', { '{"a":1}': '{"a":1}', '{a}': undefined }],
    ['binary', { '\\x00ff': '\\x00ff', '00ff': undefined }],
  ];
  for (const [type, cases] of table) {
    test(type, () => {
      for (const [text, expected] of Object.entries(cases)) {
        const quoted = `"${text.replaceAll('"', '""')}",x\n`;
        const { rows, rejects } = read(quoted, 2, { types: [type] });
        assert.deepEqual([rows[0]?.[0], rejects.length], [expected, expected === undefined ? 1 : 0], text);
      }
    });
  }
});

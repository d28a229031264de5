import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { encodeRows } from '../../lines.ts';
import { LineReader } from './line-reader.ts';

/** What LOAD DATA makes of a line of its file. */
function loaded(file: string): (string | null)[][] {
  const meaning: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', '0': '\0', Z: '\x1a' };
  const lines = file.split('\n');
  return lines
    .slice(0, -1)
    .map((line) =>
      line.split('\t').map((value) => (value === '\\N' ? null : value.replaceAll(/\\(.)/gs, (_, sign: string) => meaning[sign] ?? sign))),
    );
}

function fileOf(reader: LineReader, lines: Buffer): string {
  return Buffer.concat([...reader.file(lines)]).toString();
}

describe('line reader', () => {
  test('any text arrives as it was', () => {
    const reader = new LineReader([{ writing: 'plain' }, { writing: 'boolean' }, { writing: 'plain' }]);
    const value = fc.option(
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\ud800-\udfff]/g, '')),
      { nil: null },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.constantFrom('t', 'f', null), value)), (rows) => {
        const file = fileOf(reader, encodeRows(rows));
        assert.deepEqual(
          loaded(file),
          rows.map(([a, b, c]) => [a, b === 't' ? '1' : b === 'f' ? '0' : null, c]),
        );
      }),
    );
  });
  test('long files come in pieces, rows longer than a piece too', () => {
    const lines = encodeRows([['t', 'x'.repeat(1_000_000)], ...Array.from({ length: 100_000 }, (_, n) => ['f', `row ${n}`]), ['t', '']]);
    const reader = new LineReader([{ writing: 'boolean' }, { writing: 'plain' }]);
    const pieces = [...reader.file(lines)];
    assert.ok(Math.max(...pieces.map((piece) => piece.length)) <= 128 * 1024);
    assert.equal(Buffer.concat(pieces).toString(), lines.toString().replaceAll(/^t/gm, '1').replaceAll(/^f/gm, '0'));
  });
  test("PostgreSQL's own escapes are translated", () => {
    const reader = new LineReader([{ writing: 'plain' }]);
    assert.equal(fileOf(reader, Buffer.from('a\\fb\\vc\\bd\\\\f\n')), 'a\x0cb\x0bc\\bd\\\\f\n');
  });
  test('each kind of column', () => {
    const reader = new LineReader([{ writing: 'timestamptz' }, { writing: 'hex' }, { writing: 'number' }]);
    const lines = encodeRows([
      ['2026-11-15 04:42:11+00', '\\x00ff', 't'],
      ['infinity', '\\x', '7'],
      [null, null, null],
    ]);
    assert.equal(fileOf(reader, lines), '2026-11-15 04:42:11\t00ff\t1\ninfinity\t\t7\n\\N\t\\N\t\\N\n');
    const second = lines.indexOf(0x0a) + 1;
    assert.equal(reader.values(lines, 0, second).toString(), "('2026-11-15 04:42:11',x'00ff',1)");
    assert.equal(reader.values(lines, second, lines.indexOf(0x0a, second) + 1).toString(), "('infinity',x'',cast('7' as unsigned))");
  });
  test('quotes and backslashes cannot leave a value', () => {
    const reader = new LineReader([{ writing: 'plain' }]);
    const lines = encodeRows([[`'); drop table x; -- \\' \\\\`]]);
    assert.equal(reader.values(lines, 0, lines.length).toString(), "('\\'); drop table x; -- \\\\\\' \\\\\\\\')");
  });
  test('a number is no place in an enum', () => {
    const reader = new LineReader([{ writing: 'enum', members: new Set(['10', 'a']) }]);
    assert.equal(fileOf(reader, Buffer.from('10\na\n\\N\n')), '10\na\n\\N\n');
    assert.throws(() => fileOf(reader, Buffer.from('1\n')), /enum/);
  });
  test('rows with too many or too few values are a bug that is noticed', () => {
    const reader = new LineReader([{ writing: 'boolean' }, { writing: 'plain' }]);
    for (const lines of ['t\n', 't\ta\tb\n', 't\ta']) assert.throws(() => fileOf(reader, Buffer.from(lines)), /another number of values/);
  });
});

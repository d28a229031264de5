import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { safeCsvLine } from './safe-csv.ts';

test('no cell is a formula, and every other comes out as it went in', () => {
  for (const formula of ['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠1']) {
    const [[cell]] = parse(safeCsvLine([formula])) as [[string]];
    assert.equal(cell, `'${formula}`);
  }
  const row = ['plain', 'a,b', 'say "hi"', 'two\r\nlines', ' =1', '1-2', '-1.5', '', 'ünï'];
  assert.deepEqual(parse(safeCsvLine(row), { record_delimiter: '\r\n' }), [row]);
  assert.equal(safeCsvLine([null, 'a']), ',a\r\n');
});

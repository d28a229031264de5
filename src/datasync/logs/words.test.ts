import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewLog } from './entry.ts';
import { hasWords, indexedWords, searchText, wordsOf } from './words.ts';

test('words are letters and digits, in lower case, each once', () => {
  assert.deepEqual(wordsOf('public.customers: 1,204 rows; 12 ROWS'), ['public', 'customers', '1', '204', 'rows', '12']);
  assert.deepEqual(wordsOf('Ärger über_Straße 日本 — “x”'), ['ärger', 'über', 'straße', '日本', 'x']);
  assert.deepEqual(wordsOf('-- #! …'), []);
  assert.deepEqual(wordsOf('x'.repeat(70)), ['x'.repeat(64), 'x'.repeat(6)]);
});

test('a word is found by how it begins', () => {
  assert.ok(hasWords('Run finished', ['fin', 'run']));
  assert.ok(!hasWords('Run finished', ['ished']));
  assert.ok(!hasWords('Run finished', ['run', 'x']));
});

test('what an entry belongs to is indexed with its words', () => {
  const log: NewLog = {
    time: '',
    level: 'warn',
    sync_id: 'syn_1',
    run_id: null,
    source_id: 'src_2',
    stream: null,
    message: 'Late, late',
    data: null,
    shop: null,
  };
  assert.equal(indexedWords(log), 'late #warn #syn_1 #src_2');
  assert.equal(indexedWords({ ...log, level: 'debug', sync_id: null, source_id: null }), 'late');
  assert.equal(indexedWords({ ...log, shop: 'orders products' }), 'late #warn #syn_1 #src_2 #orders #products');
});

test('a search is told in the language of the engine', () => {
  const search = { words: ['run', 'fin'], level: 'warn', belongsTo: ['syn_1'], without: [] } as const;
  assert.equal(searchText(search, 'sqlite'), '"run"* AND "fin"* AND "#syn_1" AND ("#warn" OR "#error")');
  assert.equal(searchText(search, 'postgres'), `'run':* & 'fin':* & '#syn_1' & ('#warn' | '#error')`);
  assert.equal(searchText({ words: ['a'], level: 'debug', belongsTo: [], without: [] }, 'postgres'), `'a':*`);
  const kept = { words: ['a'], level: undefined, belongsTo: ['syn_1'], without: ['orders', 'products'] };
  assert.equal(searchText(kept, 'sqlite'), '"a"* AND "#syn_1" NOT "#orders" NOT "#products"');
  assert.equal(searchText(kept, 'postgres'), `'a':* & '#syn_1' & !'#orders' & !'#products'`);
});

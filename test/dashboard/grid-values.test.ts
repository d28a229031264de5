import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differenceOf, kindOf, lineOf, localTime } from '../../dashboard/src/parts/table/grid/grid-values.ts';
import { fillRoom } from '../../dashboard/src/parts/table/grid/grid-widths.ts';

test('values are shown by the type of their field, or by what all of them look like', () => {
  for (const [type, values, kind] of [
    ['int64', [], 'number'],
    ['timestamp', ['2026-11-15 04:42:11'], 'text'],
    ['timestamptz', [], 'moment'],
    ['text', ['1', '2'], 'text'],
    [undefined, ['1', '-2.50', null, '1e9'], 'number'],
    // A postal code is none, and one text among numbers makes them texts.
    [undefined, ['01067', '10115'], 'text'],
    [undefined, ['1', 'unknown'], 'text'],
    [undefined, [true, null], 'boolean'],
    [undefined, ['2026-11-15 04:42:11.123456+00', '2026-11-15T04:42:11Z'], 'moment'],
    [undefined, ['{"a":1}', '[1]'], 'json'],
    [undefined, ['{a}', '[1]'], 'text'],
    [undefined, [{ a: 1 }], 'json'],
    [undefined, [null], 'text'],
    [undefined, [''], 'text'],
  ] as const)
    assert.equal(kindOf(type, values), kind, JSON.stringify(values));
});

test('a value is one line, and loses no digit', () => {
  assert.equal(lineOf('text', ' two\r\nlines\there '), '·two↵lines⇥here·');
  assert.equal(lineOf('json', '{ "a b": 12345678901234567890.10,\n "c": [ 1 ] }'), '{"a b":12345678901234567890.10,"c":[1]}');
  assert.equal(lineOf('text', '\u202egnp.exe'), '⟨U+202E⟩gnp.exe');
  assert.equal(lineOf('text', 'x'.repeat(10_000)).length, 301);
  assert.equal(lineOf('moment', 'infinity'), 'infinity');
  assert.equal(localTime('2026-11-15 04:42'), undefined);
});

test('of two texts the part that differs is told, also between characters of two units', () => {
  assert.deepEqual(differenceOf('Person 1', 'Personne 1'), { start: 'Person', one: '', other: 'ne', end: ' 1' });
  assert.deepEqual(differenceOf('a😀b', 'a😁b'), { start: 'a', one: '😀', other: '😁', end: 'b' });
  assert.deepEqual(differenceOf('aa', 'aaa'), { start: 'aa', one: '', other: 'a', end: '' });
});

test('columns that would be cut get the room that is left, from the first one on, and none more than it needs', () => {
  const widths = [
    { least: 100, whole: 100 },
    { least: 320, whole: 500 },
    { least: 320, whole: 330 },
  ];
  assert.deepEqual(fillRoom(widths, 0), [100, 320, 320]);
  assert.deepEqual(fillRoom(widths, 800), [100, 380, 320]);
  assert.deepEqual(fillRoom(widths, 925), [100, 500, 325]);
  assert.deepEqual(fillRoom(widths, 2000), [100, 500, 330]);
});

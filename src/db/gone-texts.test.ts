import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonWithout, textWithout } from './gone-texts.ts';

test('texts are taken out of strings, and out of names of members that are not ours', () => {
  const json = '{"to":"Jo Doe, Main St","list":["x Jo Doe"],"Jo Doe":1,"quoted":"{\\"id\\":\\"c1\\"}","id":"c1","c10":"c10"}';
  assert.deepEqual(JSON.parse(jsonWithout(json, ['Jo Doe', '"c1"'])), {
    to: 'erased, Main St',
    list: ['x erased'],
    erased: 1,
    quoted: '{"id":"erased"}',
    id: 'erased',
    c10: 'c10',
  });
});

test('numbers, words of JSON and our own names stay, digit by digit', () => {
  const json = '{"price":12345.10,"is_new":false,"id":123450000000000000000000}';
  assert.equal(jsonWithout(json, ['12345', 'price', 'false', '"id"']), json);
});

test('in other texts they are replaced wherever they stand', () => {
  assert.equal(textWithout('order of Jo Doe ("c1", not c10)', ['Jo Doe', '"c1"']), 'order of erased ("erased", not c10)');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from './table.ts';

test('columns are as wide as their longest entry, and lines have no blanks at the end', () => {
  const text = table(
    ['ID', 'NAME', 'STATUS'],
    [
      ['1', 'Zoë 🦊', 'active'],
      ['1000', 'x', ''],
    ],
  );
  assert.equal(text, 'ID    NAME   STATUS\n1     Zoë 🦊  active\n1000  x\n');
});

test('a name cannot play with the terminal', () => {
  assert.equal(table(['NAME'], [['a\u001b[2Jb\nc']]), 'NAME\na�[2Jb�c\n');
});

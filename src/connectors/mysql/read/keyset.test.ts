import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OutsideError } from '../../../outside/errors.ts';
import { typed } from '../catalogue/columns.ts';
import { behind } from './keyset.ts';
import { fromPosition, type MysqlPosition, toPosition } from './positions.ts';

const column = (name: string, columnType: string) =>
  typed(
    { name, dataType: columnType, columnType, nullable: true, characterSet: null, collation: null, comment: '', extra: '', isJson: false },
    {},
  );

describe('keyset', () => {
  const [a, b] = [column('a', 'int'), column('b`c', 'varchar')];
  test('rows behind others, with a bound that an index can use', () => {
    assert.equal(behind([a], ['5']), '(`a` > 5)');
    assert.equal(behind([a, b], ['5', "x'"]), "`a` >= 5 and (`a` > 5 or `a` <=> 5 and `b``c` > _utf8mb4 x'7827')");
    assert.equal(behind([a, b], [null, '']), "(`a` is not null or `a` <=> null and `b``c` > '')");
  });
  test('what is no number is not put into a statement', () => {
    for (const value of ['5 or 1=1', '', '0x10', 'NaN', "1'"]) assert.throws(() => behind([a], [value]), OutsideError, value);
    assert.throws(() => behind([column('x', 'blob')], ["00'"]), OutsideError);
  });
});

describe('positions', () => {
  test('come back as they were', () => {
    const places: [MysqlPosition, number][] = [
      [{ at: 'key', key: ['1', null] }, 2],
      [{ at: 'count', rows: 7 }, 0],
      [{ at: 'cursor', cursor: '2026-11-15', key: ['1'], low: null, since: 'x', age: 3 }, 1],
      [{ at: 'end', cursor: null }, 1],
    ];
    for (const [place, keyLength] of places) assert.deepEqual(fromPosition(toPosition(place), { places: [place.at], keyLength }), place);
  });
  test('those of another stream, and what is none, are refused', () => {
    const wrong: [string, MysqlPosition['at'][], number][] = [
      ['{"at":"key","key":["1"]}', ['key'], 2],
      ['{"at":"key","key":[1]}', ['key'], 1],
      ['{"at":"key","key":["1"]}', ['cursor', 'end'], 1],
      ['{"at":"count","rows":-1}', ['count'], 0],
      ['{"at":"cursor","cursor":1,"key":[]}', ['cursor', 'end'], 0],
      ['{"at":"end","cursor":"1","age":"; drop"}', ['cursor', 'end'], 0],
      ['[]', ['count'], 0],
      ['nonsense', ['count'], 0],
    ];
    for (const [position, places, keyLength] of wrong)
      assert.throws(
        () => fromPosition(position, { places, keyLength }),
        (error) => error instanceof OutsideError && error.code === 'POSITION_INVALID',
        position,
      );
  });
});

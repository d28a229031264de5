import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OutsideError } from '../../../outside/errors.ts';
import { guessRecords } from '../answer/guess.ts';
import { linkOf, nextPage, type PageEnd } from './paging.ts';
import { at, fillPath, parsePath } from '../answer/paths.ts';

const end: PageEnd = {
  start: undefined,
  count: 2,
  envelope: {},
  headers: {},
  url: new URL('https://api.example.com/v1/things?page=1'),
  origin: 'https://api.example.com',
  lastField: () => undefined,
};

describe('paging', () => {
  test('a Link header is read as it is written in the wild', () => {
    const cases: [string, string | undefined][] = [
      ['<https://x/2>; rel="next"', 'https://x/2'],
      ['<https://x/2>; rel=next', 'https://x/2'],
      ['<https://x/1>; rel="prev", <https://x/3>; title="a, <b>; rel=\'next\'"; rel="next last"', 'https://x/3'],
      ['</1>;rel="first",</9,9>;REL="NEXT"', '/9,9'],
      ['<https://x/2>; rel="nextish"', undefined],
      ['<https://x/2>', undefined],
      ['nonsense', undefined],
      ['', undefined],
    ];
    for (const [header, next] of cases) assert.equal(linkOf(header, 'next'), next, header);
    // An expression that could be led astray would take hours here.
    const started = performance.now();
    assert.equal(linkOf(`<a>${'; x="y" '.repeat(2000)}`, 'next'), undefined);
    assert.equal(linkOf('<'.repeat(16_000), 'next'), undefined);
    assert.ok(performance.now() - started < 200);
  });

  test('cursors keep their digits, and end where there is none', () => {
    const cursor = { type: 'cursor', param: 'c', next: 'meta.next' } as const;
    for (const nothing of [null, undefined, '', false])
      assert.equal(nextPage(cursor, { ...end, envelope: { meta: { next: nothing } } }), undefined);
    assert.equal(nextPage(cursor, { ...end, envelope: { meta: { next: JSON.rawJSON('12345678901234567890') } } }), '12345678901234567890');
    assert.equal(nextPage(cursor, { ...end, envelope: { meta: { next: 'a"b' } } }), '"a\\"b"');
    assert.equal(nextPage({ ...cursor, more: 'more' }, { ...end, envelope: { meta: { next: 'x' }, more: false } }), undefined);
    const isMissing = (error: unknown): boolean => error instanceof OutsideError && error.code === 'NEXT_MISSING';
    assert.throws(() => nextPage({ ...cursor, more: 'more' }, { ...end, envelope: { more: true } }), isMissing);
    assert.throws(() => nextPage({ type: 'cursor', param: 'c', last_field: 'id' }, end), isMissing, 'the last record has no such field');
    assert.equal(nextPage({ type: 'cursor', param: 'c', last_field: 'id' }, { ...end, count: 0 }), undefined);
    assert.equal(nextPage({ type: 'cursor', param: 'c', last_field: 'id' }, { ...end, lastField: () => 7 }), '7');
  });

  test('the address of the next page stays with the API', () => {
    const paging = { type: 'next_url', next: 'next' } as const;
    const next = (value: unknown): unknown => nextPage(paging, { ...end, envelope: { next: value } });
    assert.equal(next('?page=2'), 'https://api.example.com/v1/things?page=2');
    assert.equal(next('https://api.example.com/x#y'), 'https://api.example.com/x');
    for (const [value, code] of [
      ['https://evil.example/x', 'NEXT_ELSEWHERE'],
      ['http://api.example.com/x', 'NEXT_ELSEWHERE'],
      ['//evil.example/x', 'NEXT_ELSEWHERE'],
      ['file:///etc/passwd', 'NEXT_ELSEWHERE'],
      ['https://', 'NEXT_INVALID'],
      [7, 'NEXT_INVALID'],
      [`?page=${'x'.repeat(20_000)}`, 'NEXT_INVALID'],
    ]) {
      assert.throws(
        () => next(value),
        (error) => error instanceof OutsideError && error.code === code,
        String(value),
      );
    }
  });
});

describe('places', () => {
  test('are dotted or JSON pointers', () => {
    const value = { a: { 'b.c': [{ d: 1 }] }, '': 2, '~/': 3 };
    assert.equal(at(value, parsePath('/a/b.c/0/d')), 1);
    assert.equal(at(value, parsePath('/~0~1')), 3);
    assert.equal(at({ a: { b: 1 } }, parsePath('a.b')), 1);
    assert.equal(at(value, parsePath('a.constructor')), undefined);
    assert.equal(at(value, parsePath('')), value);
    assert.equal(at(value, parsePath('/')), value);
  });

  test('in an address are filled with what cannot leave its place', () => {
    const fill = (value: string | null): string | undefined => fillPath('/a/{x}/b', () => value);
    assert.equal(fill('1/2?3#4'), '/a/1%2F2%3F3%234/b');
    for (const bad of [null, '', '.', '..', '\ud800']) assert.equal(fill(bad), undefined);
  });

  test('of records are guessed by what is usual', () => {
    const cases: [unknown, string[]][] = [
      [{ data: [{ id: 1 }], next: null }, ['data']],
      [{ errors: [], data: { items: [{ id: 1 }] } }, ['data', 'items']],
      [{ hits: { total: 3, hits: [{ id: 1 }] } }, ['hits', 'hits']],
      [{ tags: ['a'], orders: [{ id: 1 }], links: [{ rel: 'x' }, { rel: 'y' }] }, ['links']],
      [{ warnings: [{ code: 1 }], results: [{ id: 1 }] }, ['results']],
      [{ errors: [], results: [] }, ['results']],
      [{ id: 1, name: 'me', tags: ['a'] }, []],
      [{}, []],
    ];
    for (const [value, path] of cases) assert.deepEqual(guessRecords(JSON.stringify(value)), path);
  });
});

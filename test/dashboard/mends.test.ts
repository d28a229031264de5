import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mendsOf } from '../../dashboard/src/views/syncs/mend/mends.ts';
import { renamedTo } from '../../dashboard/src/views/syncs/mend/renamed.ts';

test('what is gone is found under its new name by its fields, and only where it can be told', () => {
  const orders = { name: 'orders', fields: ['id', 'total', 'customer', 'at'], key: ['id'] };
  const named = (name: string, ...fields: string[]) => ({ name, fields });
  const people = named('people', 'id', 'name', 'at');
  for (const [others, found] of [
    [[people, named('orders_old', 'id', 'total', 'customer', 'at')], 'orders_old'],
    [[people, named('bestellungen', 'id', 'total', 'customer', 'at', 'note')], 'bestellungen'],
    // Of two that have the same fields, the one whose name says it; else none.
    [[named('copy', ...orders.fields), named('orders_2', ...orders.fields)], 'orders_2'],
    [[named('x', ...orders.fields), named('y', ...orders.fields)], undefined],
    [[people], undefined],
    [[named('orders_old', 'number', 'total', 'customer', 'at')], undefined],
    [[], undefined],
  ] as const)
    assert.equal(renamedTo(orders, others), found, JSON.stringify(others));
  const lone = { name: 'marks', fields: ['id'], key: ['id'] };
  assert.equal(renamedTo(lone, [named('other', 'id')]), undefined);
  assert.equal(renamedTo(lone, [named('marks_old', 'id')]), 'marks_old');
});

test('what is offered after a failure leads to what is to blame, and nowhere else', () => {
  const sync = {
    id: 'syn_1',
    source_id: 'src_1',
    target_id: 'src_2',
    streams: [{ source: 'a', fields: [{ from: 'v', to: 'w' }], filter: [{ field: 'on' }] }],
  };
  const labels = (error: object, name = 'a'): string[] => {
    const whole = { kind: 'config' as const, code: 'X', message: 'x', hint: null, ...error };
    return mendsOf({ name, error: whole }, sync).map((mend) => ('label' in mend ? mend.label : mend.does));
  };
  for (const [error, offered] of [
    [{ field: 'streams[0].source', end: 'source' }, ['find', 'Remove "a" from the synchronization', 'Open the source']],
    [{ field: 'streams[0].fields[0].from', end: 'source' }, ['Leave "v" out', 'Open the source']],
    [{ field: 'streams[0].filter[0].field', end: 'source' }, ['Change the condition on "on"', 'Open the source']],
    [{ field: 'streams[0].target', end: 'target' }, ['Change how "a" is written', 'Open the target']],
    [{ field: 'streams[0].key' }, ['Change how "a" is written']],
    [{ kind: 'auth', end: 'target' }, ['Correct the target']],
    [{ kind: 'transient', end: 'source' }, ['Open the source']],
    [{ kind: 'gap', end: 'source' }, ['Load "a" anew']],
    [{ kind: 'bug' }, []],
  ] as const)
    assert.deepEqual(labels(error), offered, JSON.stringify(error));
  assert.deepEqual(labels({ field: 'streams[0].source' }, 'another'), ['Edit the synchronization'], 'the definition was changed since');
  assert.deepEqual(mendsOf({ name: 'a', error: null }, sync), []);
});

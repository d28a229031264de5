import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sync } from '../../dashboard/src/api/resources.ts';
import { verdictOf } from '../../dashboard/src/views/overview/verdict.ts';

const sync = (health: Sync['health'], name = 'Prices', health_code?: Sync['health_code']): Sync => ({ health, name, health_code }) as Sync;
const titleOf = (syncs: readonly Sync[], others = 0): string => verdictOf(syncs, syncs.length, others).title;

test('all is well while everything is in sync, runs, or was paused by a person', () => {
  const syncs = [sync('synced'), sync('synced'), sync('running'), sync('paused')];
  assert.deepEqual(verdictOf(syncs, 4, 0), {
    tone: 'good',
    title: 'All is well.',
    about: '4 synchronizations: 2 in sync, 1 running, 1 paused.',
  });
});

test('of more than are known it says how many it has looked at', () => {
  assert.deepEqual(verdictOf([sync('synced'), sync('synced')], 1234, 0), {
    tone: 'good',
    title: 'All is well with the first 2.',
    about: 'The first 2 of 1,234 synchronizations: 2 in sync.',
  });
});

test('one that has stopped is called by its name, several are counted', () => {
  assert.equal(titleOf([sync('synced'), sync('failing', 'Stock')]), 'Stock needs you.');
  assert.equal(titleOf([sync('failing'), sync('degraded'), sync('synced')]), '2 of 3 synchronizations need you.');
  assert.equal(titleOf([sync('paused', 'Stock', 'paused_after_failures')]), 'Stock needs you.');
  assert.equal(verdictOf([sync('degraded')], 1, 0).tone, 'warning');
  assert.equal(verdictOf([sync('degraded'), sync('needs_approval')], 2, 0).tone, 'bad');
});

test('what is no synchronization counts too, and a name does not spoil the sentence', () => {
  assert.deepEqual([titleOf([sync('synced')], 2), titleOf([sync('pending')])], ['2 things to look at.', 'Nothing has run yet.']);
  assert.equal(titleOf([sync('failing', 'x'.repeat(10_000))]).length, 60 + '… needs you.'.length);
  assert.equal(titleOf([sync('failing', 'a\u202Eb')]), 'a⟨U+202E⟩b needs you.');
});

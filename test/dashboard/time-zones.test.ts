import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZONES, zoneOfToday } from '../../dashboard/src/parts/form/time-zones.ts';

test('zones have the names of today, each once, and every one of them is a zone that the service knows', () => {
  assert.equal(zoneOfToday('Europe/Kiev'), 'Europe/Kyiv');
  assert.equal(zoneOfToday('Europe/Vienna'), 'Europe/Vienna');
  for (const old of ['Europe/Kiev', 'Asia/Calcutta', 'Asia/Saigon', 'America/Godthab']) assert.ok(!ZONES.includes(old), old);
  assert.equal(new Set(ZONES).size, ZONES.length);
  for (const timeZone of ZONES) assert.ok(new Date(0).toLocaleString('en', { timeZone }));
});

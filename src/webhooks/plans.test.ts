import assert from 'node:assert/strict';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { type Place, preparedPlace } from '../../test/support/databases.ts';
import type { Connection } from '../db/database.ts';
import { sqliteFile } from '../db/open.ts';
import { compile } from '../db/sql.ts';
import { SqliteConnection } from '../db/sqlite-connection.ts';
import { actorCalled } from '../http/caller.ts';
import { createWebhook, updateWebhook } from './commands.ts';
import { listDeliveries } from './deliveries.ts';
import { findCountedWebhook, listWebhooks } from './queries.ts';
import { replayDeliveries } from './replay.ts';
import { DELIVERY_DUTY, measureEndpoints, readKnownRows, recordDeliveries } from './rows.ts';
import { pauseWebhook, resumeWebhook } from './state-commands.ts';

// An endpoint may have had millions of deliveries, of which a few wait. What looks for these must not walk through the others: the main thread and the writer do it.

const ID = 'whk_01kfa0v2m3f8rb4v3k7m2t9xqe';
const NOW = Date.UTC(2026, 10, 1);
const CHANGE = { actor: actorCalled('a test'), now: NOW, id: ID, scopes: new Set(['orders:read'] as const) };
const PAGE = { limit: 10, offset: 0, after: undefined };
let place: Place;
let database: DatabaseSync;
let db: Connection;
/** How SQLite goes about each statement that concerns deliveries. */
let plans: { text: string; steps: string[] }[];

const WHAT = { name: 'ERP', types: '["order.*"]', condition: null, payload: 'full' } as const;
const HOW = { signature: 'symmetric', secrets: '[]', headers: '{}', max_in_flight: 4, rate: null, scopes: '["orders:read"]' } as const;

before(async () => {
  place = await preparedPlace('sqlite');
  database = new DatabaseSync(sqliteFile(place.dataDir));
  const real = new SqliteConnection(database);
  db = {
    engine: 'sqlite',
    all: (query) => {
      const { text, parameters } = compile(query, 'sqlite');
      const steps = database.prepare(`explain query plan ${text}`).all(...(parameters as SQLInputValue[]));
      if (text.includes('webhook_deliveries')) plans.push({ text, steps: steps.map(({ detail }) => String(detail)) });
      return real.all(query);
    },
  };
  plans = [];
  await createWebhook.run(db, {
    ...CHANGE,
    share: null,
    most: 0,
    from: 0,
    row: { id: ID, url: 'https://old.example/in', ...WHAT, ...HOW },
  });
  database.exec(`insert into duties values ('${DELIVERY_DUTY}', 'n', '2026', 1);
    insert into webhook_deliveries (webhook_id, seq, type, object_id, status, attempts, created_at, updated_at, next_at)
    values ('${ID}', 7, 'order.created', 'o', 'waiting', 1, '2026', '2026', '2027')`);
});
after(async () => {
  database.close();
  await place.remove();
});

const state = { position: 0, failures: 0, failingSince: 0, tryAt: 0, lastDeliveredAt: 0 };
const WORK: Record<string, () => Promise<unknown>> = {
  'shown alone': () => findCountedWebhook(db, ID),
  'shown in a list': () => listWebhooks.run(db, { page: PAGE, status: undefined }),
  'its deliveries that wait': () => listDeliveries.run(db, { id: ID, page: PAGE, filter: { status: 'waiting' } }),
  'its deliveries that failed': () => listDeliveries.run(db, { id: ID, page: PAGE, filter: { status: 'failed' } }),
  'known rows of all': () => readKnownRows.run(db, { ids: null, most: 10 }),
  'known rows of some': () => readKnownRows.run(db, { ids: [ID], most: 10 }),
  measured: () => measureEndpoints.run(db, 10),
  'due after a success': () =>
    recordDeliveries.run(db, { token: 1, now: NOW, changes: [{ webhookId: ID, rows: [], state, isDueAll: true, turn: undefined }] }),
  replayed: () => replayDeliveries.run(db, { ...CHANGE, wish: { seq: 7 }, after: 0, most: 10, first: undefined }),
  'led elsewhere': () =>
    updateWebhook.run(db, { ...CHANGE, version: 1, fields: ['url'], row: { id: ID, url: 'https://new.example/in', ...WHAT, ...HOW } }),
  resumed: async () => {
    await pauseWebhook.run(db, CHANGE);
    database.exec(`update webhook_state set failing_since = '2026'`);
    await resumeWebhook.run(db, CHANGE);
  },
};

for (const [name, work] of Object.entries(WORK))
  test(`an endpoint with many deliveries, ${name}: what waits or has failed is found by its index`, async () => {
    plans = [];
    await work();
    assert.ok(plans.length > 0);
    for (const { text, steps } of plans) assert.deepEqual(steps.filter(walksThroughAll), [], text);
  });

function walksThroughAll(step: string): boolean {
  if (!/^(SCAN|SEARCH) (d|webhook_deliveries)\b/.test(step)) return false;
  return !/INDEX webhook_deliveries_(open|failed)|PRIMARY KEY \(webhook_id=\? AND seq(=|>)\?\)/.test(step);
}

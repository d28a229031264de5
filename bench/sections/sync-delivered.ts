import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import type { SyncSection } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/processes.ts';
import { psql } from '../support/psql.ts';
import { limit, measure } from '../support/report.ts';
import { createPostgresSource, createSource, createSync, runSync } from '../support/synchronizations.ts';
import { startSyncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';

const BATCH = 1_000;
const CHANGED = 100;

/** A mirror into an API that cannot be read: what the ledger of what was accepted costs, and how long it takes to find that little has changed. */
export const section: SyncSection = async ({ rounds, rows }) => {
  const { source } = await twoDatabases(rows);
  const dataDir = temporaryFolder();
  let syncline = await startSyncline(dataDir);
  const before = bytesOf(dataDir);
  const source_id = await createPostgresSource(syncline, source);
  const stream = { name: 'records', key: ['id'], write: { modes: ['upsert'], path: '/records', batch_size: BATCH, parallel: 4 } };
  const target_id = await createSource(syncline, 'http', { base_url: await startReceiver(), streams: [stream] });
  const streams = [{ source: 'public.rows', target: 'records', mode: 'mirror', deletes: 'keep' }];
  const sync = await createSync(syncline, { source_id, target_id, streams });
  const first = await runSync(syncline, sync);
  if (first.run.totals.inserted !== rows) throw new Error(`Not all rows were sent: ${JSON.stringify(first.run.totals)}`);
  const megabytes = (bytesOf(dataDir) - before) / 1e6;
  const again: number[] = [];
  let memory = 0;
  // What the first run took is not given back at once, and would be counted twice.
  await syncline.stop();
  syncline = await startSyncline(dataDir);
  for (let round = 0; round < rounds; round++) {
    psql(source, `update rows set quantity = quantity + 1 where id % ${Math.ceil(rows / CHANGED)} = 1`);
    const pass = await runSync(syncline, sync);
    if (pass.run.totals.unchanged + pass.run.totals.updated !== rows || pass.run.totals.updated === 0)
      throw new Error(`Not what has changed was sent: ${JSON.stringify(pass.run.totals)}`);
    again.push(pass.seconds);
    memory = Math.max(memory, pass.memory);
  }
  const count = rows.toLocaleString('en-US');
  measure(`PostgreSQL → an API, ${count} rows in batches of ${BATCH}, the first time`, 's', [first.seconds]);
  limit(`The same again, with some ${CHANGED} rows changed`, 's', again, (3 * rows) / 1_000_000);
  limit(`What our database grows by for ${count} records`, 'MB', [megabytes], (100 * rows) / 1_000_000);
  limit('Memory of the service, the first time (highest)', 'MB', [first.memory], 250);
  limit('Memory of the service, again (highest)', 'MB', [memory], 250);
};

async function startReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The database and what is not in it yet. */
function bytesOf(dataDir: string): number {
  return ['syncline.db', 'syncline.db-wal'].reduce(
    (sum, name) => sum + (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { SyncSection } from '../support/bench.ts';
import { temporaryFolder } from '../support/processes.ts';
import { psql } from '../support/psql.ts';
import { limit } from '../support/report.ts';
import { createPostgresSource, createSync, deleteSync, listSyncs } from '../support/synchronizations.ts';
import { startSyncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';

const SYNCS = 1_000;
const ROWS = 10;
const MINUTE = 60_000;
const PROBES = 10;
const SIDE_BY_SIDE = 4;
const GLANCE = 1_000;
const PATIENCE = 10 * MINUTE;

/** A thousand synchronizations of small tables, all due in the same minute. */
export const section: SyncSection = async () => {
  const { source, target } = await twoDatabases(0);
  for (let made = 0; made < SYNCS; made += 250)
    psql(
      source,
      `do $$ begin for i in ${made + 1}..${made + 250} loop
        execute format('create table t%s (id bigint primary key, name text)', i);
        execute format('insert into t%s select n, ''row '' || n from generate_series(1, ${ROWS}) n', i);
      end loop; end $$`,
    );
  const syncline = await startSyncline(temporaryFolder());
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, target)];
  const create = (number: number, schedule: object): Promise<string> =>
    createSync(syncline, { source_id, target_id, schedule, streams: [{ source: `public.t${number}`, mode: 'mirror' }] });

  // Each is checked against the databases when it is saved, so it takes a while until all are there; they must not be due before.
  const began = Date.now();
  for (let number = 1; number <= PROBES; number++) await deleteSync(syncline, await create(number, { type: 'manual' }));
  const eachTakes = (Date.now() - began) / PROBES;
  const due = Math.ceil((Date.now() + SYNCS * eachTakes + MINUTE / 4) / MINUTE) * MINUTE;
  const at = new Date(due);
  const schedule = { type: 'cron', expression: `${at.getUTCMinutes()} ${at.getUTCHours()} * * *` };
  let next = 1;
  const createSome = async (): Promise<void> => {
    while (next <= SYNCS) await create(next++, schedule);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, createSome));
  if (Date.now() > due) throw new Error('It took longer than expected to create them all.');

  await sleep(due - Date.now());
  for (;;) {
    const syncs = await listSyncs(syncline);
    const finished = syncs.filter(({ last_run, current_run }) => last_run && !current_run);
    const failed = finished.find(({ last_run }) => last_run?.status !== 'succeeded');
    if (failed) throw new Error(`A run ended ${JSON.stringify(failed.last_run)}`);
    if (finished.length === SYNCS) {
      const last = Math.max(...finished.map(({ last_run }) => Date.parse(last_run?.finished_at ?? '')));
      limit(`${SYNCS.toLocaleString('en-US')} small synchronizations due at once: until the last is done`, 's', [(last - due) / 1000], 60);
      return;
    }
    if (Date.now() > due + PATIENCE) throw new Error(`After ten minutes only ${finished.length} of ${SYNCS} were done.`);
    await sleep(GLANCE);
  }
};

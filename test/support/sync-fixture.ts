import { command, type Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { enqueue } from '../../src/datasync/runs/queue/enqueue.ts';
import { addState } from '../../src/datasync/runs/rows/sync-state.ts';
import type { RunRow } from '../../src/datasync/runs/rows/run-row.ts';
import { isLive, LIVE_DEFAULTS, type StoredDefinition } from '../../src/datasync/runs/rows/stored-definition.ts';
import type { StreamDefinition } from '../../src/engine/definition.ts';
import type { Schedule } from '../../src/jobs/schedule.ts';
import { newId } from '../../src/lib/ids.ts';
import { runStatement } from './commands.ts';

/** After every test. */
export const FAR = '9999-01-01T00:00:00.000Z';

export function streamOf(source: string, target = source): StreamDefinition {
  return { source, target, mode: 'incremental', key: ['id'], cursor: 'id', fields: null, filter: [], deletes: 'delete' };
}

export function definitionOf(streams: readonly StreamDefinition[], schedule: Schedule = { type: 'manual' }): StoredDefinition {
  return {
    direction: 'source_to_target',
    schedule,
    streams,
    on_reject: 'quarantine',
    guard: { max_delete_percent: 20, allow_empty: false },
    schema_changes: 'apply',
    ...LIVE_DEFAULTS,
  };
}

interface Options {
  streams?: readonly StreamDefinition[];
  source?: string;
  target?: string;
  nextRunAt?: string;
  schedule?: Schedule;
}

/** A source, written behind the back of the API. */
export async function addSource(db: Database): Promise<string> {
  const { id } = newId('src', Date.now());
  await db.write(
    runStatement,
    `insert into sources (id, name, type, config, status, version, created_at, updated_at)
      values ('${id}', 'a source ${id}', 'fake', '{}', 'ok', 1, '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z')`,
  );
  return id;
}

/** A synchronization, written behind the back of the API; with sources of its own unless some are given. */
export async function addSync(db: Database, options: Options = {}): Promise<string> {
  const source = options.source ?? (await addSource(db));
  const target = options.target ?? (await addSource(db));
  const { id } = newId('syn', Date.now());
  const definition = JSON.stringify(definitionOf(options.streams ?? [streamOf('orders')], options.schedule));
  await db.write(insertSync, { id, source, target, definition, nextRunAt: options.nextRunAt ?? null });
  return id;
}

interface InsertedSync {
  id: string;
  source: string;
  target: string;
  definition: string;
  nextRunAt: string | null;
}

export const insertSync = command(import.meta.url, 'insertSync', async (tx, input: InsertedSync): Promise<void> => {
  const at = '2026-11-01T00:00:00.000Z';
  // Several that are added at once do not see each other's names.
  if (tx.engine === 'postgres') await tx.all(sql`lock table syncs in share row exclusive mode`);
  await tx.all(sql`
    insert into syncs (id, name, source_id, target_id, definition, version, created_at, updated_at, shop)
    values (${input.id}, case when exists (select 1 from syncs where name = 'nightly') then ${`nightly ${input.id}`} else 'nightly' end,
      ${input.source}, ${input.target}, ${input.definition}, 1, ${at}, ${at}, '')`);
  await addState(tx, { syncId: input.id, at, nextRunAt: input.nextRunAt, live: isLive(JSON.parse(input.definition) as StoredDefinition) });
});

/** A run that nobody begins, as it has to wait for ever. */
export const enqueueForEver = command(import.meta.url, 'enqueueForEver', async (tx, syncId: string): Promise<RunRow> => {
  const run = await enqueue(tx, { now: Date.now(), syncId, trigger: 'manual', mode: 'run', streams: null });
  await tx.all(sql`update runs set not_before = ${FAR} where id = ${run.id}`);
  return { ...run, not_before: FAR };
});

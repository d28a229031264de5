import { type Connection, first } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { intervalOf } from '../../jobs/schedule.ts';
import type { Logger } from '../../lib/log.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { Prober } from '../sources/prober.ts';
import type { SourceRow } from '../sources/queries.ts';
import type { SourceService } from '../sources/service.ts';
import type { UndoRule } from '../../engine/definition.ts';
import type { ReleaseRow } from './rows.ts';

// What targets keep of runs, so that they can be undone: it is forgotten when it is old enough, also of synchronizations that do not run.

export const SWEEP_INTERVAL = 10 * 60_000;

type Target = Pick<SourceRow, 'id' | 'name' | 'type' | 'config' | 'secrets'>;

/** What names the place in a configuration: the same place may be two sources. */
const PLACE = ['host', 'port', 'database', 'path'];

/** Whether two configurations name the same database, or the same file. */
export function isSamePlace(one: string, other: string): boolean {
  const [left, right] = [one, other].map((config) => JSON.parse(config) as Record<string, unknown>);
  return PLACE.every((member) => left?.[member] === right?.[member]);
}

/** Whether the synchronization has what its runs replace kept in the same place now. */
export async function keepsForUndo(db: Connection, row: Pick<ReleaseRow, 'sync_id' | 'type' | 'config'>): Promise<boolean> {
  const now = await first<{ definition: string; type: string; config: string }>(
    db,
    sql`select syncs.definition, sources.type, sources.config from syncs join sources on sources.id = syncs.target_id where syncs.id = ${row.sync_id}`,
  );
  return now !== undefined && undoOf(now) !== null && now.type === row.type && isSamePlace(now.config, row.config);
}

/** How many runs were undone, of those that are remembered. */
export async function undoneRuns(db: Connection): Promise<number> {
  return (await first<{ n: number }>(db, sql`select count(*) as n from runs where undone is not null`))?.n ?? 0;
}

interface SweepOptions {
  readonly db: { readonly read: Connection };
  readonly log: Logger;
  readonly sources: Pick<SourceService, 'configOf'>;
  readonly prober: Pick<Prober, 'ask'>;
}

/** What a stored definition says of it. */
function undoOf({ definition }: { readonly definition: string }): UndoRule | null {
  return (JSON.parse(definition) as { undo?: UndoRule | null }).undo ?? null;
}

/** Has targets forget what is older than it is to be kept. */
export async function sweepKept({ db, log, sources, prober }: SweepOptions): Promise<void> {
  const rows = await db.read.all<Target & { sync_id: string; definition: string; current: string | null }>(sql`
    select sources.id, sources.name, sources.type, sources.config, sources.secrets, syncs.id as sync_id, syncs.definition,
      (select max(id) from runs where runs.sync_id = syncs.id and finished_at is null) as current
    from syncs join sources on sources.id = syncs.target_id order by syncs.id`);
  for (const { sync_id, definition, current, ...target } of rows) {
    const undo = undoOf({ definition });
    if (!undo) continue;
    try {
      const forget = { sync: sync_id, olderThan: intervalOf(undo.keep) ?? 0, ...(current !== null && { except: current }) };
      await prober.ask(target.type, sources.configOf(target), { ask: 'forget', ...forget });
    } catch (error) {
      // One that is away is asked again later.
      if (!(error instanceof OutsideError)) log.warn({ err: error, sync: sync_id }, 'what a target keeps of runs could not be looked at');
    }
  }
}

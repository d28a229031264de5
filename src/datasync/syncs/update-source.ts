import { command, type Connection } from '../../db/database.ts';
import { databaseTimeText } from '../../db/database-time.ts';
import { sql } from '../../db/sql.ts';
import { shareOf } from '../access/share.ts';
import { isSamePlace } from '../releases/kept-runs.ts';
import { isSameServer, oweRelease } from '../releases/rows.ts';
import { definitionOf } from '../runs/rows/stored-definition.ts';
import { changeSource, type SourceUpdate } from '../sources/commands.ts';
import type { SourceRow } from '../sources/queries.ts';

/** A source changes, and with it its synchronizations: what runs there from now on is the doing of the caller that pointed it there. */
export const updateSource = command(
  import.meta.url,
  'updateSource',
  (tx, input: SourceUpdate): Promise<SourceRow | undefined> =>
    changeSource(tx, input, async (before) => {
      await tx.all(
        sql`update syncs set share_of = ${shareOf(input.actor.id, input)} where source_id = ${input.id} or target_id = ${input.id}`,
      );
      await pointLive(tx, input, before);
      await leaveKept(tx, input, before);
    }),
);

/** A target that is another place now keeps nothing more of runs: the one before is to forget what it has kept. */
async function leaveKept(tx: Connection, { id, config, now }: SourceUpdate, before: SourceRow): Promise<void> {
  if (isSamePlace(before.config, config)) return;
  const syncs = await tx.all<{ id: string; name: string; definition: string }>(
    sql`select id, name, definition from syncs where target_id = ${id} order by id`,
  );
  for (const sync of syncs) if (definitionOf(sync).undo) await oweRelease(tx, { sync, source: before, now, what: 'undo' });
}

/** Live runs go on by the new way, at once; a server that they have left is to forget what it keeps for them. */
async function pointLive(tx: Connection, { id, config, now }: SourceUpdate, before: SourceRow): Promise<void> {
  const syncs = await tx.all<{ id: string; name: string; source_id: string }>(sql`
    select syncs.id, name, source_id from syncs join sync_state on sync_state.sync_id = syncs.id
    where sync_state.live <> 0 and (source_id = ${id} or target_id = ${id}) order by syncs.id`);
  for (const sync of syncs) {
    // Their rows alone are locked: a transaction that changes a synchronization has it before its sources.
    await tx.all(sql`update runs set yields = 1 where sync_id = ${sync.id} and live = 1 and status = 'running'`);
    await tx.all(sql`
      update runs set not_before = ${databaseTimeText(now)} where sync_id = ${sync.id} and live = 1 and status = 'retrying'`);
    if (sync.source_id === id && !isSameServer(before.config, config)) await oweRelease(tx, { sync, source: before, now });
  }
}

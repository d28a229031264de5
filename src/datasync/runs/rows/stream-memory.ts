import { bulk, list } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { byEngine, raw, type Sql, sql } from '../../../db/sql.ts';
import type { Field } from '../../../connectors/contract.ts';

/** Says which run speaks: one that has been taken over is not listened to any more, and hears it (false). */
export interface Speaker {
  runId: string;
  /** Of the run; or of a part of it, when the caller has nothing but that. */
  token: number;
  part?: PartKey;
}

/** Names a part of a run, as it was offered. */
export interface PartKey {
  runId: string;
  target: string;
  split: string;
  index: number;
}

export function isPart({ runId, target, split, index }: PartKey): Sql {
  return sql`run_id = ${runId} and target = ${target} and part = ${index} and split = ${split}`;
}

const forShare = byEngine((engine) => raw(engine === 'postgres' ? 'for share' : ''));

/** Whether the run is still this node's. Its row stays locked, so that nobody takes the run over before what follows is committed. */
export async function isOurs(tx: Connection, { runId, token, part }: Speaker): Promise<boolean> {
  const rows = await tx.all(
    part
      ? sql`select 1 from run_parts where ${isPart(part)} and token = ${token} and status = 'running' ${forShare}`
      : sql`select 1 from runs where id = ${runId} and token = ${token} and status = 'running' ${forShare}`,
  );
  return rows.length > 0;
}

/** Something to remember of a stream; what is not named stays as it is. */
export interface StreamMemory extends Speaker {
  syncId: string;
  target: string;
  /** What a run finds out about a stream that is by now to be read anew counts no more. */
  generation: number;
  /** How far it has been read, for a target that keeps no position itself. */
  position?: string;
  /** What belongs to that position. */
  note?: string;
  /** The fields of the source, to notice when they change. */
  fields?: readonly Field[];
  /** How many rows a complete read found, to notice when there are suddenly none. */
  rows?: number;
}

const MEMORY = {
  sync_id: 'text',
  target: 'text',
  generation: 'bigint',
  position: 'text',
  note: 'json',
  fields: 'json',
  rows: 'bigint',
} as const;

/** Remembers what runs have found out about streams, of several runs at a time; answers for each whether it was still to be heard. */
export const keepMemories = command(import.meta.url, 'keepMemories', async (tx, memories: StreamMemory[]): Promise<boolean[]> => {
  const heard = await areOurs(tx, memories);
  await remember(
    tx,
    memories.filter((_, index) => heard[index]),
  );
  return heard;
});

/** The same for runs that are known to be this node's. */
export async function remember(tx: Connection, memories: readonly StreamMemory[]): Promise<void> {
  if (memories.length === 0) return;
  const rows = memories.map(({ syncId, target, generation, position = null, note = null, fields, rows: count = null }) => {
    return [syncId, target, generation, position, note, fields ? JSON.stringify(fields) : null, count];
  });
  await tx.all(sql`
    update sync_streams set position = coalesce(input.position, sync_streams.position), note = coalesce(input.note, sync_streams.note),
      fields = coalesce(input.fields, sync_streams.fields), rows = coalesce(input.rows, sync_streams.rows)
    from ${bulk(MEMORY, rows)} as input
    where sync_streams.sync_id = input.sync_id and sync_streams.target = input.target and sync_streams.generation = input.generation`);
}

/** The same as `isOurs` for many, and one statement for all of them that speak for a whole run. */
async function areOurs(tx: Connection, speakers: readonly Speaker[]): Promise<boolean[]> {
  const ids = speakers.flatMap(({ runId, part }) => (part ? [] : [runId]));
  const rows = await tx.all<{ id: string; token: number }>(
    sql`select id, token from runs where id in ${list(ids)} and status = 'running' order by id ${forShare}`,
  );
  const tokens = new Map(rows.map(({ id, token }) => [id, token]));
  return Promise.all(speakers.map(async (speaker) => (speaker.part ? isOurs(tx, speaker) : tokens.get(speaker.runId) === speaker.token)));
}

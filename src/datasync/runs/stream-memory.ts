import { command, type Connection } from '../../db/database.ts';
import { byEngine, raw, type Sql, sql } from '../../db/sql.ts';
import type { Field } from '../../connectors/contract.ts';

/** Says which run speaks: one that has been taken over is not listened to any more, and hears it (false). */
export interface Speaker {
  runId: string;
  /** Of the run; or of a part of it, when whoever speaks has nothing but that. */
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

interface OfStream extends Speaker {
  syncId: string;
  target: string;
  /** What a run finds out about a stream that is by now to be read anew counts no more. */
  generation: number;
}

/** Remembers the position for a target that keeps none itself. */
export const keepPosition = command(import.meta.url, 'keepPosition', (tx, input: OfStream & { position: string }) =>
  remember(tx, input, sql`position = ${input.position}`),
);

/** Remembers the fields of the source, to notice when they change. */
export const keepFields = command(import.meta.url, 'keepFields', (tx, input: OfStream & { fields: readonly Field[] }) =>
  remember(tx, input, sql`fields = ${JSON.stringify(input.fields)}`),
);

/** Remembers how many rows a complete read found, to notice when there are suddenly none. */
export const keepRows = command(import.meta.url, 'keepRows', (tx, input: OfStream & { rows: number }) =>
  remember(tx, input, sql`rows = ${input.rows}`),
);

async function remember(tx: Connection, input: OfStream, what: Sql): Promise<boolean> {
  if (!(await isOurs(tx, input))) return false;
  await tx.all(
    sql`update sync_streams set ${what} where sync_id = ${input.syncId} and target = ${input.target} and generation = ${input.generation}`,
  );
  return true;
}

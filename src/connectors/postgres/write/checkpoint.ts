import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import { fenced } from '../../../outside/errors.ts';
import type { Link } from '../wire/link.ts';
import { quoteRelation, quoteText } from '../catalogue/names.ts';
import type { PostgresCheckpoint, WriterState } from './states.ts';
import { FENCED_STATE } from '../wire/sql-errors.ts';

type StoredCheckpoint = Record<'position' | 'note', string | null> & { state: string };

/** The row of an owner in the target's own schema. */
export interface CheckpointPlace {
  readonly schema: string;
  readonly owner: string;
  readonly token: bigint;
  /** The rows of other owners that are fenced with it. */
  readonly fences?: readonly Pick<CheckpointPlace, 'schema' | 'owner'>[];
}

export const tableIn = (schema: string): string => quoteRelation({ schema, name: CHECKPOINT_TABLE });

/** Makes the table, or gives an older one what it lacks; within a transaction that holds off others who do the same. */
export async function createCheckpoints(link: Link, schema: string): Promise<void> {
  const [found] = await link.query<{ has_note: string }>(
    `select exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = 'note' and not a.attisdropped)::text as has_note
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2`,
    [schema, CHECKPOINT_TABLE],
  );
  if (!found)
    await link.run(
      `create table ${tableIn(schema)} (owner text primary key, token numeric(20) not null, position text, note text, state text not null default '{}', updated_at timestamptz not null default now())`,
    );
  else if (found.has_note !== 'true') await link.run(`alter table ${tableIn(schema)} add column if not exists note text`);
}

/** Raises the token, so that the worker that had this owner before can write nothing more, and tells how far it came. */
export async function takeOver(link: Link, { schema, owner, token, fences = [] }: CheckpointPlace): Promise<PostgresCheckpoint> {
  for (const fence of fences) await takeOver(link, { ...fence, token });
  const [row] = await link.query<StoredCheckpoint>(
    `insert into ${tableIn(schema)} as c (owner, token) values ($1, $2)
     on conflict (owner) do update set token = excluded.token, updated_at = now() where c.token <= excluded.token returning position, note, state`,
    [owner, String(token)],
  );
  const taken = takenOver(row);
  if (taken.state.split) await link.run(`update ${tableIn(schema)} set token = ${NOBODYS} where ${isPartOf([owner])}`);
  return taken;
}

/** The token of a part whose whole was taken over: it is nobody's until the stream is split anew. */
export const NOBODYS = '99999999999999999999';

/** Whether a row is that of a part of these. */
export function isPartOf(owners: readonly string[]): string {
  const ends = owners.map((owner) => quoteText(` of ${owner}`)).map((end) => `right(owner, length(${end})) = ${end}`);
  return `starts_with(owner, 'part ') and (${ends.join(' or ')})`;
}

/** The same for a part, whose row is made by the writer that splits the stream: where there is none, the part is nobody's any more. */
export async function takeOverPart(link: Link, { schema, owner, token }: CheckpointPlace): Promise<PostgresCheckpoint> {
  const [row] = await link.query<StoredCheckpoint>(
    `update ${tableIn(schema)} set token = $2, updated_at = now() where owner = $1 and token <= $2 returning position, note, state`,
    [owner, String(token)],
  );
  return takenOver(row);
}

function takenOver(row: StoredCheckpoint | undefined): PostgresCheckpoint {
  if (!row) throw fenced();
  return { position: row.position, note: row.note, state: JSON.parse(row.state) as WriterState };
}

/** A statement that keeps the position and the note, or fails the whole transaction when another worker has taken over. */
export function keep({ schema, owner, token, fences = [] }: CheckpointPlace, { position, note, state }: PostgresCheckpoint): string {
  const text = (value: string | null): string => (value === null ? 'null' : quoteText(value));
  const values = `position = ${text(position)}, note = ${text(note)}, state = ${quoteText(JSON.stringify(state))}`;
  const whose = (name: string): string => `where owner = ${quoteText(name)} and token = ${token}`;
  const demands = fences.map((fence) => `perform from ${tableIn(fence.schema)} ${whose(fence.owner)} for share`);
  const update = `update ${tableIn(schema)} set ${values}, updated_at = clock_timestamp() ${whose(owner)}`;
  const orFail = `if not found then raise exception 'fenced' using errcode = '${FENCED_STATE}'; end if`;
  return `do ${quoteText(`begin ${[...demands, update].map((statement) => `${statement}; ${orFail}`).join('; ')}; end`)}`;
}

/** The schema that has the checkpoint of this owner: the streams may be others than they were when it was made. */
export async function keptIn(link: Link, owner: string): Promise<string | undefined> {
  const schemas = await link.query<{ schema: string }>(
    `select n.nspname as schema from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relname = $1 and c.relkind = 'r' and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') order by c.oid`,
    [CHECKPOINT_TABLE],
  );
  for (const { schema } of schemas) {
    const rows = await link.query(`select 1 from ${tableIn(schema)} where owner = $1`, [owner]);
    if (rows.length > 0) return schema;
  }
  return undefined;
}

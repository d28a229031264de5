import type { Position } from '../batch.ts';
import { CHECKPOINT_TABLE } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import type { Link } from './connect.ts';
import { quoteRelation, quoteText } from './names.ts';

/** What a writer has to know to go on, besides the position. */
export interface State {
  /** `load`: the table is ours and new, rows go in as they come, and its key is made at the end. */
  phase?: 'load';
  /** How many rows are in the stage of a mirror. */
  staged?: number;
}

export interface Checkpoint {
  position: Position | null;
  state: State;
}

/** The row of an owner in the target's own schema. */
export interface CheckpointPlace {
  schema: string;
  owner: string;
  token: bigint;
}

const tableIn = (schema: string): string => quoteRelation({ schema, name: CHECKPOINT_TABLE });

/** Makes the table; within a transaction that holds off others who do the same. */
export async function createCheckpoints(link: Link, schema: string): Promise<void> {
  const [found] = await link.query(
    `select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2`,
    [schema, CHECKPOINT_TABLE],
  );
  if (found) return;
  await link.run(
    `create table ${tableIn(schema)} (owner text primary key, token numeric(20) not null, position text, state text not null default '{}', updated_at timestamptz not null default now())`,
  );
}

/** Raises the token, so that whoever worked for this owner before can write nothing more, and tells how far he came. */
export async function takeOver(link: Link, { schema, owner, token }: CheckpointPlace): Promise<Checkpoint> {
  const [row] = await link.query<{ position: string | null; state: string }>(
    `insert into ${tableIn(schema)} as c (owner, token) values ($1, $2)
     on conflict (owner) do update set token = excluded.token, updated_at = now() where c.token <= excluded.token returning position, state`,
    [owner, String(token)],
  );
  if (!row) throw new ConnectorError('fenced', 'FENCED', 'A newer run has taken over this work.', { hint: 'Nothing was written.' });
  return { position: row.position, state: JSON.parse(row.state) as State };
}

/** A statement that keeps the position, or fails the whole transaction when somebody else has taken over. */
export function keep({ schema, owner, token }: CheckpointPlace, { position, state }: Checkpoint): string {
  const values = `position = ${position === null ? 'null' : quoteText(position)}, state = ${quoteText(JSON.stringify(state))}`;
  const update = `update ${tableIn(schema)} set ${values}, updated_at = clock_timestamp() where owner = ${quoteText(owner)} and token = ${token}`;
  return `do ${quoteText(`begin ${update}; if not found then raise exception 'fenced' using errcode = 'SL001'; end if; end`)}`;
}

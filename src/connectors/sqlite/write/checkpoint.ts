import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { WriteRequest } from '../../contract.ts';
import { Checkpoint, type CheckpointRow } from '../../sql-target/checkpoint.ts';
import { CHECKPOINT_TABLE, type Kept } from '../../sql-target/kept.ts';
import { changing } from '../database/open.ts';

const TABLE = `main.${CHECKPOINT_TABLE}`;
const NOW = `strftime('%Y-%m-%d %H:%M:%fZ', 'now')`;

type Claim = Pick<WriteRequest, 'owner' | 'token' | 'fences'>;

/** The checkpoint of a claim. The table for it is made where it is missing. Within a transaction. */
export function checkpointOf(database: DatabaseSync, { owner, token, fences = [] }: Claim): Checkpoint {
  prepareTable(database);
  const rowOf = (name: string): CheckpointRow => checkpointRow(database, { owner: name, token });
  return new Checkpoint(rowOf(owner), fences.map(rowOf));
}

function checkpointRow(database: DatabaseSync, { owner, token }: Claim): CheckpointRow {
  const select = database.prepare(`select state from ${TABLE} where owner = ? and token = ?`);
  const find = () => select.get(owner, token) as { state: string | null } | undefined;
  const updates = new Map<string, StatementSync>();
  const updateOf = (names: readonly string[]): StatementSync => {
    const sets = names.map((name) => `${name} = ?`).join(', ');
    const update =
      updates.get(sets) ?? changing(database, `update ${TABLE} set ${sets}, updated_at = ${NOW} where owner = ? and token = ?`);
    updates.set(sets, update);
    return update;
  };
  return {
    take: () => take(database, { owner, token }),
    isOurs: () => find() !== undefined,
    state: () => find()?.state,
    change: (values) => Number(updateOf(Object.keys(values)).run(...Object.values(values), owner, token).changes) === 1,
  };
}

function prepareTable(database: DatabaseSync): void {
  database.exec(
    `create table if not exists ${TABLE} (owner text primary key, token integer not null, position text, note text, state text, updated_at text not null)`,
  );
  const columns = database.prepare('select name from pragma_table_info(?)').all(CHECKPOINT_TABLE) as { name: string }[];
  // An older Syncline made it without these.
  for (const missing of ['note', 'state'])
    if (!columns.some(({ name }) => name === missing)) database.exec(`alter table ${TABLE} add column ${missing} text`);
}

function take(database: DatabaseSync, { owner, token }: Claim): Kept | undefined {
  const select = database.prepare(`select token, position, note, state from ${TABLE} where owner = ?`);
  select.setReadBigInts(true);
  const known = select.get(owner) as { token: bigint; position: string | null; note: string | null; state: string | null } | undefined;
  if (known && known.token > token) return undefined;
  changing(
    database,
    `insert into ${TABLE} (owner, token, updated_at) values (?, ?, ${NOW})
       on conflict (owner) do update set token = excluded.token, updated_at = excluded.updated_at`,
  ).run(owner, token);
  return { position: known?.position ?? undefined, note: known?.note ?? undefined, state: known?.state ?? undefined };
}

import type { DuckdbLink } from '../database/open.ts';
import type { WriteRequest } from '../../contract.ts';
import { Checkpoint, type CheckpointRow } from '../../sql-target/checkpoint.ts';
import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';

const TABLE = `main.${CHECKPOINT_TABLE}`;

/** The checkpoint of a claim. The table for it is made where it is missing. Within a transaction. */
export async function checkpointOf(
  connection: DuckdbLink,
  { owner, token, fences = [] }: Pick<WriteRequest, 'owner' | 'token' | 'fences'>,
): Promise<Checkpoint> {
  // Without an index: writers take turns, so there is one row for each owner anyway.
  await connection.run(
    `create table if not exists ${TABLE} (owner varchar not null, token bigint not null, position varchar, note varchar, state varchar, updated_at timestamp not null)`,
  );
  const rowOf = (name: string): CheckpointRow => checkpointRow(connection, name, token);
  return new Checkpoint(rowOf(owner), fences.map(rowOf));
}

function checkpointRow(connection: DuckdbLink, owner: string, token: bigint): CheckpointRow {
  const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const find = async () => (await connection.rows(`select state from ${TABLE} where owner = ? and token = ?`, [owner, token]))[0];
  return {
    take: async () => {
      const [known] = await connection.rows(`select token, position, note, state from ${TABLE} where owner = ?`, [owner]);
      if (known && (known[0] as bigint) > token) return undefined;
      if (known) await connection.run(`update ${TABLE} set token = ?, updated_at = now()::timestamp where owner = ?`, [token, owner]);
      else await connection.run(`insert into ${TABLE} (owner, token, updated_at) values (?, ?, now()::timestamp)`, [owner, token]);
      return { position: textOf(known?.[1]), note: textOf(known?.[2]), state: textOf(known?.[3]) };
    },
    isOurs: async () => (await find()) !== undefined,
    state: async () => {
      const found = await find();
      return found && (textOf(found[0]) ?? null);
    },
    change: async (values) => {
      const names = Object.keys(values);
      const sets = names.map((name) => `${name} = ?`).join(', ');
      const changed = await connection.run(`update ${TABLE} set ${sets}, updated_at = now()::timestamp where owner = ? and token = ?`, [
        ...Object.values(values),
        owner,
        token,
      ]);
      return changed === 1;
    },
  };
}

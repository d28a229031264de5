import type { DatabaseSync } from 'node:sqlite';
import { type Changes, CHECKPOINT_TABLE, type WriteRequest } from '../contract.ts';
import { ConnectorError } from '../errors.ts';

const NOW = `strftime('%Y-%m-%d %H:%M:%fZ', 'now')`;

/** A transaction of the target: rows, position and the check of the token are in it together. */
export type Transact = <T>(work: () => T) => Promise<T>;

/** Where positions and tokens are kept, beside the data. */
export function prepareCheckpoints(database: DatabaseSync): void {
  database.exec(
    `create table if not exists main.${CHECKPOINT_TABLE} (owner text primary key, token integer not null, position text, stage text, updated_at text not null)`,
  );
}

/** Writes our token and gives the position; somebody with a higher token has the work already. */
export function takeOver(database: DatabaseSync, { owner, token }: WriteRequest, stage: string | undefined): string | undefined {
  const select = database.prepare(`select token, position from main.${CHECKPOINT_TABLE} where owner = ?`);
  select.setReadBigInts(true);
  const known = select.get(owner) as { token: bigint; position: string | null } | undefined;
  if (known && known.token > token) throw fenced(owner);
  database
    .prepare(
      `insert into main.${CHECKPOINT_TABLE} (owner, token, stage, updated_at) values (?, ?, ?, ${NOW})
       on conflict (owner) do update set token = excluded.token, stage = excluded.stage, updated_at = excluded.updated_at`,
    )
    .run(owner, token, stage ?? null);
  return known?.position ?? undefined;
}

export interface SavePosition {
  (position: string | null): void;
  /** Throws when somebody else has the work. */
  check(): void;
}

export function checkpointSaver(database: DatabaseSync, { owner, token }: WriteRequest): SavePosition {
  const update = database.prepare(`update main.${CHECKPOINT_TABLE} set position = ?, updated_at = ${NOW} where owner = ? and token = ?`);
  const select = database.prepare(`select 1 from main.${CHECKPOINT_TABLE} where owner = ? and token = ?`);
  const save = (position: string | null): void => {
    if (Number(update.run(position, owner, token).changes) !== 1) throw fenced(owner);
  };
  const check = (): void => {
    if (select.get(owner, token) === undefined) throw fenced(owner);
  };
  return Object.assign(save, { check });
}

function fenced(owner: string): ConnectorError {
  return new ConnectorError('fenced', 'FENCED', `Somebody else has taken over the work of ${owner}.`);
}

export function none(): Changes {
  return { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
}

import type { DatabaseSync } from 'node:sqlite';
import type { WriteRequest } from '../../contract.ts';
import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import { fenced } from '../../../outside/errors.ts';

const TABLE = `main.${CHECKPOINT_TABLE}`;
const NOW = `strftime('%Y-%m-%d %H:%M:%fZ', 'now')`;

/** How far an owner has come. */
export interface Kept {
  readonly position: string | undefined;
  readonly note: string | undefined;
  /** What the position counts: rows of the table, or of a stage of a certain shape. */
  readonly state: string | undefined;
}

/** Where positions, notes and tokens are kept, beside the data. */
export function prepareCheckpoints(database: DatabaseSync): void {
  database.exec(
    `create table if not exists ${TABLE} (owner text primary key, token integer not null, position text, note text, state text, updated_at text not null)`,
  );
  const columns = database.prepare('select name from pragma_table_info(?)').all(CHECKPOINT_TABLE) as { name: string }[];
  // An older Syncline made it without these.
  for (const missing of ['note', 'state'])
    if (!columns.some(({ name }) => name === missing)) database.exec(`alter table ${TABLE} add column ${missing} text`);
}

/** Writes our token and tells how far the work is; somebody with a higher token has it already. */
export function takeOver(database: DatabaseSync, { owner, token, resume }: WriteRequest): Kept {
  const select = database.prepare(`select token, position, note, state from ${TABLE} where owner = ?`);
  select.setReadBigInts(true);
  const known = select.get(owner) as { token: bigint; position: string | null; note: string | null; state: string | null } | undefined;
  if (known && known.token > token) throw fenced();
  database
    .prepare(
      `insert into ${TABLE} (owner, token, updated_at) values (?, ?, ${NOW})
       on conflict (owner) do update set token = excluded.token, updated_at = excluded.updated_at`,
    )
    .run(owner, token);
  const note = known?.note ?? undefined;
  if (resume && !resume(note)) return { position: undefined, note: undefined, state: undefined };
  return { position: known?.position ?? undefined, note, state: known?.state ?? undefined };
}

/** The work begins anew. The note of work that was finished stays; that of work which is thrown away does not. */
export function afresh({ position, note }: Kept): Kept {
  return { position: undefined, note: position === undefined ? note : undefined, state: undefined };
}

/** The row of a writer. All of it happens within a transaction, and throws when somebody else has the work. */
export interface Checkpoint {
  demand(): void;
  /** What the position counts, as it is stored now. */
  state(): string | undefined;
  /** Stores how far the work is; without a note, the old one stays. */
  advance(position: string | null, note: string | undefined): void;
  annotate(note: string | undefined): void;
  /** Says what the position counts from now on. */
  restate(state: string): void;
  begin(kept: Kept): void;
}

export function checkpointOf(database: DatabaseSync, { owner, token }: WriteRequest): Checkpoint {
  const select = database.prepare(`select state from ${TABLE} where owner = ? and token = ?`);
  const stored = (): { state: string | null } => {
    const row = select.get(owner, token) as { state: string | null } | undefined;
    if (row === undefined) throw fenced();
    return row;
  };
  const update = (sets: string): ((...values: (string | null)[]) => void) => {
    const statement = database.prepare(`update ${TABLE} set ${sets}, updated_at = ${NOW} where owner = ? and token = ?`);
    return (...values) => {
      if (Number(statement.run(...values, owner, token).changes) !== 1) throw fenced();
    };
  };
  const advance = update('position = ?, note = coalesce(?, note)');
  const annotate = update('note = coalesce(?, note)');
  const restate = update('state = ?');
  const begin = update('position = ?, note = ?, state = ?');
  return {
    demand: () => void stored(),
    state: () => stored().state ?? undefined,
    advance: (position, note) => advance(position, note ?? null),
    annotate: (note) => annotate(note ?? null),
    restate: (state) => restate(state),
    begin: ({ position, note, state }) => begin(position ?? null, note ?? null, state ?? null),
  };
}

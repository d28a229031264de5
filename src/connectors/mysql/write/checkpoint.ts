import { setTimeout as pause } from 'node:timers/promises';
import type { Position } from '../../batch.ts';
import type { WriteRequest } from '../../contract.ts';
import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import { fenced, OutsideError } from '../../../outside/errors.ts';
import { takingOver } from './evict.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import { numberOf } from '../wire/server-errors.ts';
import { exactCollation } from './target-table.ts';
import type { Wire } from '../wire/connection.ts';

const TABLE = quote(CHECKPOINT_TABLE);
const MOST_ATTEMPTS = 8;
const DUPLICATE_COLUMN = 1060;

/** How far an owner has come. */
export interface Kept {
  readonly position: Position | undefined;
  readonly note: string | undefined;
  /** What the position counts: rows of a table, or of a stage of a certain shape. */
  readonly state: string | undefined;
}

/** The work begins anew. The note of work that was finished stays; that of work which is thrown away does not. */
export function afresh({ position, note }: Kept): Kept {
  return { position: undefined, note: position === undefined ? note : undefined, state: undefined };
}

/** Whose work it is, and where it stands in the target. What is stored is stored within the transaction under way. */
export class Checkpoint {
  readonly #wire: Wire;
  readonly #owner: string;
  readonly #token: bigint;

  private constructor(wire: Wire, owner: string, token: bigint) {
    this.#wire = wire;
    this.#owner = textLiteral(owner);
    this.#token = token;
  }

  /** Takes the work over: from now on, nobody with a lower token can write for this owner. */
  static async take(wire: Wire, { owner, token, resume }: WriteRequest): Promise<{ checkpoint: Checkpoint; kept: Kept }> {
    if (owner.length > 512) throw new OutsideError('config', 'OWNER_TOO_LONG', 'The name of the owner is longer than 512 characters.');
    await ensureTable(wire);
    const checkpoint = new Checkpoint(wire, owner, token);
    const kept = await takingOver(wire, { owner, token }, () => transaction(wire, () => takeOver(wire, { owner, token })));
    if (!resume || resume(kept.note)) return { checkpoint, kept };
    const nothing: Kept = { position: undefined, note: undefined, state: undefined };
    await checkpoint.begin(nothing);
    return { checkpoint, kept: nothing };
  }

  /** Throws when somebody has taken over. The row stays locked until the end of the transaction. */
  async demand(): Promise<void> {
    const [found] = await this.#wire.rows(`select 1 from ${TABLE} where owner = ${this.#owner} and token = ${this.#token} for update`);
    if (!found) throw fenced();
  }

  /** What the position counts, as it is stored now. */
  async state(): Promise<string | undefined> {
    const [[state] = []] = await this.#wire.rows(`select state from ${TABLE} where owner = ${this.#owner}`);
    return state ?? undefined;
  }

  /** Stores a position; throws when somebody has taken over. The row stays locked until the end of the transaction. */
  async advance(position: Position | null): Promise<void> {
    await this.#update({ position });
  }

  /** Stores a note; without one, the old one stays. */
  async annotate(note: string | undefined): Promise<void> {
    if (note !== undefined) await this.#update({ note });
  }

  /** Says what the position counts from now on. */
  async restate(state: string): Promise<void> {
    await this.#update({ state });
  }

  async begin({ position = null, note = null, state = null }: { [Name in keyof Kept]: Kept[Name] | null }): Promise<void> {
    await this.#update({ position, note, state });
  }

  async #update(values: Partial<Record<keyof Kept, string | null>>): Promise<void> {
    const sets = Object.entries(values).map(([name, value]) => `${name} = ${value === null ? 'null' : textLiteral(value)}`);
    const { affected } = await this.#wire.run(
      `update ${TABLE} set ${sets.join(', ')}, writes = writes + 1, updated_at = utc_timestamp(6) where owner = ${this.#owner} and token = ${this.#token}`,
    );
    if (affected !== 1) throw fenced();
  }
}

async function takeOver(wire: Wire, { owner, token }: Pick<WriteRequest, 'owner' | 'token'>): Promise<Kept> {
  const name = textLiteral(owner);
  await wire.run(
    `insert into ${TABLE} (owner, token, updated_at) values (${name}, ${token}, utc_timestamp(6)) on duplicate key update writes = writes + 1`,
  );
  const [[stored, position, note, state] = []] = await wire.rows(
    `select token, position, note, state from ${TABLE} where owner = ${name} for update`,
  );
  if (stored == null || BigInt(stored) > token) throw fenced();
  await wire.run(`update ${TABLE} set token = ${token} where owner = ${name}`);
  return { position: position ?? undefined, note: note ?? undefined, state: state ?? undefined };
}

/**
 * All or nothing. When the connection is lost, the server rolls back by itself. A deadlock undoes everything too, and is no
 * reason to give up: the work is done anew.
 */
export async function transaction<T>(wire: Wire, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await wire.run('start transaction');
    try {
      const result = await work();
      await wire.run('commit');
      return result;
    } catch (error) {
      if (wire.isOpen) await wire.run('rollback').catch(() => wire.destroy());
      const isDeadlock = error instanceof OutsideError && error.code === 'DEADLOCK';
      if (!isDeadlock || attempt === MOST_ATTEMPTS || !wire.isOpen) throw error;
      // Not at the same moment as whoever was in the way.
      await pause(Math.random() * 30 * attempt);
    }
  }
}

async function ensureTable(wire: Wire): Promise<void> {
  const columns = await wire.rows(
    `select column_name from information_schema.columns where table_schema = database() and table_name = ${textLiteral(CHECKPOINT_TABLE)}`,
  );
  // Making or changing it needs a right that writing does not.
  if (columns.length === 0) {
    await wire.run(
      `create table if not exists ${TABLE} (owner varchar(512) ${exactCollation(wire)} not null primary key, token decimal(39,0) not null, ` +
        'position longtext null, note longtext null, state longtext null, writes bigint not null default 0, updated_at datetime(6) not null) ' +
        `engine = InnoDB row_format = dynamic default ${exactCollation(wire)}`,
    );
  } else if (!columns.some(([name]) => name === 'note')) {
    // An older Syncline made it. Another writer may add the column at the same moment.
    await wire.run(`alter table ${TABLE} add column note longtext null`).catch((error: unknown) => {
      if (numberOf(error) !== DUPLICATE_COLUMN) throw error;
    });
  }
}

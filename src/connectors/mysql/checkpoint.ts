import { setTimeout as pause } from 'node:timers/promises';
import type { Position } from '../batch.ts';
import { CHECKPOINT_TABLE } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { quote, textLiteral } from './literals.ts';
import { exactCollation } from './target-table.ts';
import type { Wire } from './wire.ts';

const TABLE = quote(CHECKPOINT_TABLE);
const MOST_ATTEMPTS = 8;

/** Whose work it is, and where it stands in the target. */
export class Checkpoint {
  readonly #wire: Wire;
  readonly #owner: string;
  readonly #token: bigint;
  /** What was stored when the token was taken. */
  position: Position | undefined;
  /** What the position counts: a table, or a stage of a certain shape. */
  state: string | undefined;

  private constructor(wire: Wire, owner: string, token: bigint) {
    this.#wire = wire;
    this.#owner = textLiteral(owner);
    this.#token = token;
  }

  /** Takes the work over: from now on, nobody with a lower token can write for this owner. */
  static async take(wire: Wire, owner: string, token: bigint): Promise<Checkpoint> {
    if (owner.length > 512) throw new ConnectorError('config', 'OWNER_TOO_LONG', 'The name of the owner is longer than 512 characters.');
    await ensureTable(wire);
    const mine = new Checkpoint(wire, owner, token);
    await transaction(wire, async () => {
      await wire.run(
        `insert into ${TABLE} (owner, token, updated_at) values (${mine.#owner}, ${token}, utc_timestamp(6)) on duplicate key update writes = writes + 1`,
      );
      const [[stored, position, state] = []] = await wire.rows(
        `select token, position, state from ${TABLE} where owner = ${mine.#owner} for update`,
      );
      if (stored == null || BigInt(stored) > token) throw fenced();
      await wire.run(`update ${TABLE} set token = ${token} where owner = ${mine.#owner}`);
      mine.position = position ?? undefined;
      mine.state = state ?? undefined;
    });
    return mine;
  }

  /** Throws when somebody has taken over. */
  async demand(): Promise<void> {
    const [found] = await this.#wire.rows(`select 1 from ${TABLE} where owner = ${this.#owner} and token = ${this.#token}`);
    if (!found) throw fenced();
  }

  /** Stores a position within the transaction under way; throws when somebody has taken over. The row stays locked until its end. */
  async advance(position: Position | null, state?: string): Promise<void> {
    const { affected } = await this.#wire.run(
      `update ${TABLE} set position = ${position === null ? 'null' : textLiteral(position)}, writes = writes + 1, updated_at = utc_timestamp(6)` +
        `${state === undefined ? '' : `, state = ${textLiteral(state)}`} where owner = ${this.#owner} and token = ${this.#token}`,
    );
    if (affected !== 1) throw fenced();
  }
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
      const isDeadlock = error instanceof ConnectorError && error.code === 'DEADLOCK';
      if (!isDeadlock || attempt === MOST_ATTEMPTS || !wire.isOpen) throw error;
      // Not at the same moment as whoever was in the way.
      await pause(Math.random() * 30 * attempt);
    }
  }
}

async function ensureTable(wire: Wire): Promise<void> {
  const [found] = await wire.rows(
    `select 1 from information_schema.tables where table_schema = database() and table_name = ${textLiteral(CHECKPOINT_TABLE)}`,
  );
  // Making it needs a right that writing does not.
  if (found) return;
  await wire.run(
    `create table if not exists ${TABLE} (owner varchar(512) ${exactCollation(wire)} not null primary key, token decimal(39,0) not null, ` +
      'position longtext null, state longtext null, writes bigint not null default 0, updated_at datetime(6) not null) ' +
      `engine = InnoDB row_format = dynamic default ${exactCollation(wire)}`,
  );
}

function fenced(): ConnectorError {
  return new ConnectorError('fenced', 'FENCED', 'Another worker has taken over this synchronization.');
}

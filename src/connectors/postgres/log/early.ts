import { OutsideError } from '../../../outside/errors.ts';
import type { Link } from '../wire/link.ts';
import type { WalPosition } from './position.ts';
import type { WalServer } from './server.ts';

// A server reads a large transaction to its end before it sends any of it, unless it is asked to send pieces. Then the target is at work while the server still
// reads. That is asked for while we are behind, and only what is known to be committed is told before its end. What comes between the pieces of a transaction
// and was committed before it would have to be told first: then all since the last position is taken back, and followed in the usual manner. The same
// goes for a part that the transaction has taken back itself (ROLLBACK TO SAVEPOINT).

const PIECES_SINCE = 140_000;
/** So far behind it is worth while. */
const BEHIND = 32 * 1024 * 1024;

/** What the server gathers of transactions before it sends a piece of the largest. The less, the sooner it begins. */
export const GATHERED_EARLY = "set logical_decoding_work_mem = '8MB'";

/** Whether to ask for transactions before their end. */
export function isWorthEarly({ version, lsn }: WalServer, after: WalPosition, milestones: readonly WalPosition[]): boolean {
  // Whether a milestone lies before or behind a transaction is known at its end.
  return version >= PIECES_SINCE && lsn - after.lsn >= BEHIND && !milestones.some((milestone) => milestone.lsn > after.lsn);
}

/** Whether a transaction is committed. The log has the lower half of its number. */
export async function isCommitted(link: Link, transaction: number): Promise<boolean> {
  const [row] = await link.query(
    `select pg_catalog.pg_xact_status((case when f.number < n.next then f.number else f.number - 4294967296 end)::text::xid8) as status
     from (select pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::int8 as next) n, lateral (select n.next / 4294967296 * 4294967296 + $1::int8 as number) f`,
    [String(transaction)],
  );
  return row?.['status'] === 'committed';
}

export const TAKEN_BACK = 'TAKEN_BACK';

function takenBack(): OutsideError {
  return new OutsideError('transient', TAKEN_BACK, 'What was told of a transaction before its end was told too early.', {
    hint: 'It is followed again from the last position.',
  });
}

/** Which transaction is told in pieces. There is one at a time; all else is told behind its end, or it is taken back. */
export class Pieces {
  readonly #committed = new Set<number>();
  /** The one that the piece under way is of. */
  #current: number | undefined;
  /** The one of which something was told. */
  #told: number | undefined;

  /** Something was told of a transaction that has not ended here. */
  get isOpen(): boolean {
    return this.#told !== undefined;
  }

  begin(transaction: number): void {
    this.#current = transaction;
  }

  learn(transaction: number, isCommitted: boolean): void {
    if (isCommitted) this.#committed.add(transaction);
  }

  /** Something is about to be told. */
  add(): void {
    if (this.#current === this.#told) return;
    if (this.#told !== undefined || this.#current === undefined || !this.#committed.has(this.#current)) throw takenBack();
    this.#told = this.#current;
  }

  stop(): void {
    this.#current = undefined;
  }

  commit(transaction: number): void {
    this.#committed.delete(transaction);
    if (this.#told === transaction) this.#told = undefined;
  }

  abort(transaction: number): void {
    if (this.#told === transaction) throw takenBack();
  }
}

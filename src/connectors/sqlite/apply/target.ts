import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../batch.ts';
import type { Changes, Field } from '../../contract.ts';
import type { ChangeTarget, MadeChanges, RefusedChange } from '../../sql-target/apply/applying.ts';
import { HeldTransaction } from '../../sql-target/apply/held-transaction.ts';
import { absentIn, type ChangeReject, type Placed, recordOf } from '../../sql-target/apply/placed.ts';
import { kindOf } from '../../sql-target/apply/rounds.ts';
import type { Checkpoint } from '../../sql-target/checkpoint.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import type { Transact } from '../../sql-target/transact.ts';
import { sqliteError } from '../database/errors.ts';
import { type SqliteStream, Statements } from './statements.ts';

interface How {
  readonly database: DatabaseSync;
  readonly path: string;
  readonly transact: Transact;
  readonly checkpoint: Checkpoint;
  /** The end of all work. */
  readonly signal: AbortSignal;
  /** Changes a stream within the transaction, and tells how it is now. */
  readonly extend: (stream: SqliteStream, fields: readonly Field[]) => SqliteStream;
}

/** The row of a change is not there, and not all of it is told. */
const MISSING = Symbol('missing');

/** Applies changes to an SQLite file: one by one, as nothing is quicker where no network lies between. */
export class SqliteChanges implements ChangeTarget {
  readonly #how: How;
  readonly #transaction: HeldTransaction;
  #streams: readonly SqliteStream[];
  #committed: readonly SqliteStream[];
  #statements: Statements[];
  #isOpen = false;

  constructor(how: How, streams: readonly SqliteStream[]) {
    this.#how = how;
    this.#transaction = new HeldTransaction(how.transact);
    // Others wait for its end.
    how.signal.addEventListener('abort', () => void this.#transaction.rollback(), { once: true });
    this.#streams = streams;
    this.#committed = streams;
    this.#statements = streams.map((stream) => new Statements(how.database, stream));
  }

  get streams(): readonly SqliteStream[] {
    return this.#streams;
  }

  async begin(): Promise<void> {
    await this.#transaction.begin();
    this.#isOpen = true;
    // Nobody takes over until its end.
    await this.#how.checkpoint.demand();
  }

  async commit(position: Position, note: string | undefined): Promise<void> {
    if (!this.#isOpen) await this.begin();
    await this.#how.checkpoint.keep({ position, note }).catch((error: unknown) => {
      throw sqliteError(error, this.#how.path);
    });
    await this.#transaction.commit();
    this.#isOpen = false;
    this.#committed = this.#streams;
  }

  async rollback(): Promise<void> {
    await this.#transaction.rollback();
    this.#isOpen = false;
    this.#streams = this.#committed;
    this.#statements = this.#streams.map((stream) => new Statements(this.#how.database, stream));
  }

  make(changes: readonly Placed[]): MadeChanges {
    const { database } = this.#how;
    const counts = this.#streams.map((): Changes => ({ ...NOTHING }));
    const missing: Placed[] = [];
    const refused: RefusedChange[] = [];
    database.exec('savepoint changes');
    for (const one of changes) {
      try {
        if (this.#makeOne(one, counts[one.change.stream] as Changes) === MISSING) missing.push(one);
      } catch (error) {
        const failure = sqliteError(error, this.#how.path);
        if (failure.kind !== 'data') throw failure;
        refused.push({ one, error: failure });
      }
    }
    database.exec(missing.length > 0 ? 'rollback to changes; release changes' : 'release changes');
    return { counts, missing, refused };
  }

  rejectsOf(refused: readonly RefusedChange[]): ChangeReject[] {
    return refused.map(({ one: { change, place }, error }) => ({
      index: place,
      stream: change.stream,
      row: recordOf(this.#streams[change.stream] as SqliteStream, change),
      ...(error.field !== undefined && { field: error.field }),
      reason: error.message,
    }));
  }

  extend(stream: number, fields: readonly Field[]): void {
    const extended = this.#how.extend(this.#streams[stream] as SqliteStream, fields);
    this.#streams = this.#streams.with(stream, extended);
    this.#statements[stream] = new Statements(this.#how.database, extended);
  }

  async close(): Promise<void> {
    // Others wait for its end.
    await this.#transaction.rollback();
    if (this.#how.database.isOpen) this.#how.database.close();
  }

  /** Makes a change and counts it. A statement that is refused takes only itself back. */
  #makeOne(one: Placed, counts: Changes): typeof MISSING | undefined {
    const { change } = one;
    const stream = this.#streams[change.stream] as SqliteStream;
    const statements = this.#statements[change.stream] as Statements;
    if (change.op === 'truncate') {
      counts.deleted += statements.remove();
      return undefined;
    }
    if (change.op === 'delete') {
      const removed = statements.remove(statements.key(change));
      counts[removed > 0 ? 'deleted' : 'unchanged']++;
      return undefined;
    }
    const absent = absentIn(change.row, stream.fields.length);
    const shape = statements.ofShape(absent);
    const values = statements.values(change.row);
    const isComplete = change.op === 'insert' || absent === '';
    const put = (): void => {
      if (shape.insert(values)) counts.inserted++;
      else if (shape.update(values)) counts.updated++;
    };
    if (change.op === 'update' && kindOf(one) === 'move') {
      const before = statements.key(change);
      // It was loaded under its new key already.
      if (change.mayBeThere && one.before !== undefined && statements.isThere(statements.keyOf(change.row))) {
        statements.erase(before);
        shape.update(values);
        counts.updated++;
      } else if (shape.move(values, before)) counts.updated++;
      else if (isComplete) put();
      else return MISSING;
      return undefined;
    }
    if (change.op === 'insert' && !change.mayBeThere) put();
    else if (change.mayBeThere ? shape.updateDifferent(values) : shape.update(values)) counts.updated++;
    else if (change.mayBeThere && statements.isThere(statements.keyOf(change.row))) counts.unchanged++;
    else if (isComplete) put();
    else return MISSING;
    return undefined;
  }
}

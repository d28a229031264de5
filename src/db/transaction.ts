import type { Connection, JobStore } from './database.ts';
import type { Engine, Sql } from './sql.ts';

/**
 * The connection of one transaction. A command may have several statements under way: the first that fails decides, all
 * others fail with its error, whatever the engine makes of them, and nothing can be committed any more. When the transaction
 * is over nothing is let through, as a statement that comes late would be a transaction of its own.
 */
export class Transaction implements Connection {
  readonly engine: Engine;
  readonly origin: object | undefined;
  readonly jobs: JobStore | undefined;
  readonly last: (() => void) | undefined;
  readonly #run: (query: Sql) => unknown[] | Promise<unknown[]>;
  #failure: { error: unknown } | undefined;
  #over = false;

  constructor(
    engine: Engine,
    run: (query: Sql) => unknown[] | Promise<unknown[]>,
    more: { origin?: object; jobs?: JobStore | undefined; commit?: () => void } = {},
  ) {
    const { origin, jobs, commit } = more;
    this.engine = engine;
    this.origin = origin;
    this.jobs = jobs;
    this.#run = run;
    this.last =
      commit &&
      (() => {
        if (this.#failure || this.#over) return;
        this.#over = true;
        commit();
      });
  }

  async all<Row>(query: Sql): Promise<Row[]> {
    if (this.#failure) throw this.#failure.error;
    if (this.#over) throw new Error('A statement came after its transaction.');
    try {
      return (await this.#run(query)) as Row[];
    } catch (error) {
      this.#failure ??= { error };
      throw this.#failure.error;
    }
  }

  /** Lets nothing more through; throws when a statement has failed, even if the command took no notice. */
  finish(): void {
    this.#over = true;
    if (this.#failure) throw this.#failure.error;
  }

  /** Lets nothing more through. */
  abandon(): void {
    this.#over = true;
  }
}

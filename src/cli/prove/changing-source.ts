import { setTimeout as pause } from 'node:timers/promises';
import { type Random, randomFrom } from '../../sample/random.ts';
import type { KitEnd } from './kit-end.ts';
import { type ChangeKind, KIT_TABLES, type KitMode, KitStatements } from './kit-tables.ts';
import type { PlainClient } from './plain-client.ts';

const LONGEST_PAUSE = 30;
/** Some transactions stay open for a while, so that rows are committed behind others that are younger. */
const LONGEST_TRANSACTION = 250;
const ROLLED_BACK = 0.1;

/** Changes a source in every way, all the time. What is not committed leaves no trace; what happened, the tables tell. */
export class ChangingSource {
  transactions = 0;
  /** Statements that were committed, by what they did. */
  readonly made = new Map<ChangeKind, number>();
  readonly statements: KitStatements;
  readonly #random: Random;
  readonly #end: KitEnd;
  readonly #modes: readonly KitMode[];
  #stopped = new AbortController();
  #workers: Promise<void>[] = [];

  constructor(seed: string, end: KitEnd, modes: readonly KitMode[]) {
    this.#random = randomFrom(`${seed} changes`);
    this.#end = end;
    this.#modes = modes;
    this.statements = new KitStatements(randomFrom(`${seed} rows`), end.dialect);
  }

  /** Makes the tables with so many rows each. */
  async prepare(rows: number): Promise<void> {
    const client = await this.#end.connect();
    try {
      for (const mode of this.#modes) {
        for (const statement of this.statements.create(KIT_TABLES[mode])) await client.run(statement);
        for (const statement of this.statements.fill(KIT_TABLES[mode], rows)) await client.run(statement);
      }
    } finally {
      await client.close();
    }
  }

  start(): void {
    this.#stopped = new AbortController();
    // A table that is only appended to is read right behind the last row: nobody may commit late there.
    const late = this.#modes.filter((mode) => mode !== 'append');
    this.#workers = [this.#work(this.#modes, 0), ...(this.#end.manyWriters ? [this.#work(late, LONGEST_TRANSACTION)] : [])];
  }

  /** Lets what is under way be committed. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#workers);
  }

  async #work(modes: readonly KitMode[], longest: number): Promise<void> {
    let client: PlainClient | undefined;
    while (!this.#stopped.signal.aborted) {
      try {
        client ??= await this.#end.connect();
        await this.#transaction(client, this.#random.pick(modes), this.#random.next() * longest);
      } catch {
        // Another has the lock, or the connection is gone; either way nothing was changed.
        await client?.close().catch(() => {});
        client = undefined;
      }
      await pause(this.#random.next() * LONGEST_PAUSE);
    }
    await client?.close();
  }

  async #transaction(client: PlainClient, mode: KitMode, duration: number): Promise<void> {
    await client.run(this.#end.dialect.begin);
    const kinds: ChangeKind[] = [];
    for (let left = this.#random.between(1, 3); left > 0; left--) {
      const { kind, statement } = this.statements.change(mode);
      await client.run(statement);
      kinds.push(kind);
    }
    if (duration > 0) await pause(duration);
    if (this.#random.chance(ROLLED_BACK)) return client.run('rollback');
    await client.run('commit');
    this.transactions++;
    for (const kind of kinds) this.made.set(kind, (this.made.get(kind) ?? 0) + 1);
  }
}

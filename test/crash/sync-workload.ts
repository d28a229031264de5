import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pick, type Random } from './random.ts';

/** One table for each mode: rows come, change and go in the first two; in the last they only come. */
export const TABLES = { mirror: 'items', incremental: 'changes', append: 'journal' } as const;
export type WorkMode = keyof typeof TABLES;

export const COLUMNS = ['id', 'version', 'at', 'amount', 'note'] as const;
const CREATE = '(id bigint primary key, version bigint not null, at timestamp not null, amount numeric(12,2), note text not null)';
const FIRST_ROWS = 3_000;
// Long enough that a run takes several batches, as a batch is a megabyte.
const LONG_NOTE = 1_500;
const SHORT_NOTE = 200;
const AT_ONCE = 20;
const MANY_AT_ONCE = 1_000;
// A part of the transactions stays open for a while, so that rows are committed late.
const LONGEST_TRANSACTION = 250;
const LONGEST_PAUSE = 25;
const MOST_JOURNAL = 60_000;

type Change = 'insert' | 'insert_many' | 'update' | 'update_many' | 'delete' | 'insert_again';
const CHANGES: Record<WorkMode, readonly Change[]> = {
  mirror: ['insert', 'insert', 'update', 'update', 'update_many', 'delete', 'delete', 'insert_again'],
  incremental: ['insert', 'insert', 'update', 'update', 'update_many', 'delete', 'insert_again'],
  append: ['insert', 'insert', 'insert', 'insert', 'insert', 'insert_many'],
};

/** People who work at the source all the time, two at once. */
export class Workload {
  /** The highest id that was ever given, in any table. */
  lastId = 0;
  transactions = 0;
  /** The longest pause between two transactions, in milliseconds. */
  longestPause = LONGEST_PAUSE;
  readonly #random: Random;
  readonly #url: string;
  readonly #modes: readonly WorkMode[];
  #stopped = new AbortController();
  #workers: Promise<void>[] = [];

  constructor(random: Random, url: string, modes: readonly WorkMode[] = ['mirror', 'incremental', 'append']) {
    this.#random = random;
    this.#url = url;
    this.#modes = modes;
  }

  async prepare(): Promise<void> {
    const client = await this.#connect();
    for (const mode of this.#modes) {
      await client.query(`create table ${TABLES[mode]} ${CREATE}; create index on ${TABLES[mode]} (at)`);
      await client.query(this.#insertion(TABLES[mode], FIRST_ROWS, LONG_NOTE));
    }
    await client.end();
  }

  start(): void {
    this.#stopped = new AbortController();
    this.#workers = [this.#work(0), this.#work(LONGEST_TRANSACTION)];
  }

  /** Lets what is under way be committed. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#workers);
  }

  async #work(longest: number): Promise<void> {
    let client: pg.Client | undefined;
    while (!this.#stopped.signal.aborted) {
      try {
        client ??= await this.#connect();
        await this.#transaction(client, this.#random() * longest);
        this.transactions++;
      } catch {
        // The server may be killed too; whether the transaction was committed is told by the table in the end.
        await client?.end().catch(() => {});
        client = undefined;
      }
      await pause(this.#random() * this.longestPause);
    }
    await client?.end();
  }

  async #transaction(client: pg.Client, duration: number): Promise<void> {
    const mode = pick(this.#random, this.#modes);
    await client.query('begin');
    for (let left = 1 + Math.floor(this.#random() * 3); left > 0; left--)
      await client.query(this.#statement(TABLES[mode], pick(this.#random, CHANGES[mode])));
    await pause(duration);
    await client.query(this.#random() < 0.1 ? 'rollback' : 'commit');
  }

  #statement(table: string, change: Change): string {
    const count = 1 + Math.floor(this.#random() * AT_ONCE);
    const from = Math.floor(this.#random() * this.lastId);
    // A session that waits for a row that another has changed would hold up both; such rows are left alone.
    const some = (most: number): string => `(select id from ${table} where id >= ${from} order by id limit ${most} for update skip locked)`;
    const update = (most: number): string =>
      `update ${table} set version = version + 1, at = clock_timestamp(), amount = ${this.#amount()}, note = md5(random()::text) || note
        where id in ${some(most)}`;
    switch (change) {
      case 'insert':
        return this.#insertion(table, count, SHORT_NOTE);
      case 'insert_many':
        return this.#insertion(table, this.lastId < MOST_JOURNAL ? MANY_AT_ONCE : count, LONG_NOTE);
      case 'update':
        return update(count);
      case 'update_many':
        return `update ${table} set version = version + 1, at = clock_timestamp(), note = left(note, ${LONG_NOTE}) where id in ${some(MANY_AT_ONCE)}`;
      case 'delete':
        return `delete from ${table} where id in ${some(count)}`;
      default:
        // A key of a row that is gone, perhaps: it may come back as another.
        return `insert into ${table} values (${1 + from}, -1, clock_timestamp(), null, 'again') on conflict do nothing`;
    }
  }

  #insertion(table: string, count: number, noteLength: number): string {
    const first = this.lastId + 1;
    this.lastId += count;
    return `insert into ${table} select n, 1, clock_timestamp(), ${this.#amount()}, rpad(md5(n::text), ${noteLength}, E'tab\\tand\\nline ')
      from generate_series(${first}, ${this.lastId}) n`;
  }

  #amount(): string {
    return this.#random() < 0.1 ? 'null' : (this.#random() * 1000).toFixed(2);
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#url });
    client.on('error', () => {});
    await client.connect();
    return client;
  }
}

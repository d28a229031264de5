import { setTimeout as pause } from 'node:timers/promises';
import { pick, type Random } from '../crash/random.ts';
import type { PlainClient } from '../../src/cli/prove/plain-client.ts';
import type { LiveEnd } from './ends.ts';
import { ACCOUNTS, columnsOf, laterTable, large, prepareSource } from './tables.ts';

const WORKERS = 3;
const LONGEST_PAUSE = 30;
/** Keys are few, so that they are changed, deleted and used again often. */
const NUMBERED_KEYS = 300;
const DOC_KEYS = 60;
const OTHER_KEYS = 500;
const ROLLED_BACK = 0.1;
const SAVEPOINTS = 0.15;
const RESHAPED = 0.012;
const EMPTIED = 0.02;
const MOST_COLUMNS = 5;

/** People who change everything at the source, all the time. What is not committed leaves no trace, so what happened is in the tables alone. */
export class Changing {
  transactions = 0;
  /** How often the shape of a table was changed, and how often one was emptied. */
  reshaped = 0;
  emptied = 0;
  /** The last number that a change of `numbered` was given. */
  lastNumber = 0;
  /** How often a transaction failed, and with what. */
  readonly failures = new Map<string, number>();
  readonly #random: Random;
  readonly #end: LiveEnd;
  readonly #later: string[] = [];
  #columns = 0;
  #stopped = new AbortController();
  #workers: Promise<void>[] = [];

  constructor(random: Random, end: LiveEnd) {
    this.#random = random;
    this.#end = end;
  }

  async prepare(): Promise<void> {
    const client = await this.#end.connect();
    await prepareSource(client, this.#end.type);
    await client.close();
  }

  /** One more table, which is changed from now on. */
  async addTable(rows: number): Promise<string> {
    const table = `later_${this.#later.length + 1}`;
    const client = await this.#end.connect();
    for (const statement of laterTable(this.#end.type, table, rows)) await client.run(statement);
    await client.close();
    this.#later.push(table);
    return table;
  }

  /** Writes a mark: who sees it at the target has seen all that was committed before. */
  async mark(): Promise<string> {
    const client = await this.#end.connect();
    const mark = String(++this.lastNumber);
    await client.run(`update accounts set mark = ${mark} where id = 0`);
    await client.close();
    return mark;
  }

  start(): void {
    this.#stopped = new AbortController();
    this.#workers = Array.from({ length: WORKERS }, (_, at) => this.#work(at === 0));
  }

  /** Lets what is under way end. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#workers);
  }

  async #work(reshapes: boolean): Promise<void> {
    let client: PlainClient | undefined;
    while (!this.#stopped.signal.aborted) {
      try {
        client ??= await this.#end.connect();
        if (reshapes && this.#random() < RESHAPED) await this.#reshape(client);
        else if (reshapes && this.#random() < EMPTIED) await this.#empty(client);
        else await this.#transaction(client);
        this.transactions++;
      } catch (error) {
        // It may be a deadlock, or a server that was killed: whether it was committed, the tables say.
        const { code, message } = error as Error & { code?: string };
        this.failures.set(code ?? message, (this.failures.get(code ?? message) ?? 0) + 1);
        await client?.close();
        client = undefined;
      }
      await pause(this.#random() * LONGEST_PAUSE);
    }
    await client?.close();
  }

  async #transaction(client: PlainClient): Promise<void> {
    await client.run('begin');
    for (let left = 1 + Math.floor(this.#random() * 4); left > 0; left--) {
      const isTried = this.#random() < SAVEPOINTS;
      if (isTried) await client.run('savepoint tried');
      await this.#step(client);
      if (isTried) await client.run(this.#random() < 0.6 ? 'rollback to savepoint tried' : 'release savepoint tried');
    }
    await client.run(this.#random() < ROLLED_BACK ? 'rollback' : 'commit');
  }

  async #step(client: PlainClient): Promise<void> {
    const step = pick(this.#random, [
      'transfer',
      'transfer',
      'number',
      'number',
      'number',
      'doc',
      'doc',
      'fill',
      'shape',
      'later',
    ] as const);
    const later = pick(this.#random, this.#later);
    if (step === 'transfer') return this.#transfer(client);
    if (step === 'number') return this.#number(client);
    if (step === 'doc') return this.#doc(client);
    if (step === 'later' && later !== undefined) return this.#other(client, later, `'later'`);
    if (step === 'fill') return this.#insert(client, 'emptied', 'id, v', `${this.#key(OTHER_KEYS)}, 'filled'`);
    return this.#other(client, 'shaped');
  }

  async #transfer(client: PlainClient): Promise<void> {
    const [one, other] = [this.#key(ACCOUNTS - 1), this.#key(ACCOUNTS - 1)].sort((a, b) => a - b) as [number, number];
    const amount = this.#key(50);
    await client.run(`update accounts set balance = balance - ${amount} where id = ${one}`);
    await client.run(`update accounts set balance = balance + ${amount} where id = ${other}`);
  }

  async #number(client: PlainClient): Promise<void> {
    const [id, other, n] = [this.#key(NUMBERED_KEYS), this.#key(NUMBERED_KEYS), ++this.lastNumber];
    const kind = pick(this.#random, ['insert', 'insert', 'update', 'update', 'delete', 'key'] as const);
    if (kind === 'insert') return this.#insert(client, 'numbered', 'id, n, v', `${id}, ${n}, 'number ${n}'`);
    if (kind === 'update') return client.run(`update numbered set n = ${n} where id = ${id}`);
    if (kind === 'delete') return client.run(`delete from numbered where id = ${id}`);
    return this.#attempt(client, `update numbered set id = ${other}, n = ${n} where id = ${id}`);
  }

  async #doc(client: PlainClient): Promise<void> {
    const [id, other, n] = [this.#key(DOC_KEYS), this.#key(DOC_KEYS), Math.floor(this.#random() * 1e6)];
    const body = large(this.#end.type, n);
    const kind = pick(this.#random, ['insert', 'title', 'title', 'body', 'delete', 'key'] as const);
    if (kind === 'insert')
      return this.#insert(client, 'docs', 'id, title, body, extra', `${id}, 'new ${n}', ${body}, ${n % 3 ? body : 'null'}`);
    if (kind === 'title') return client.run(`update docs set title = 'title ${n}' where id = ${id}`);
    if (kind === 'body') return client.run(`update docs set body = ${n % 5 ? body : 'null'} where id = ${id}`);
    if (kind === 'delete') return client.run(`delete from docs where id = ${id}`);
    return this.#attempt(client, `update docs set id = ${other} where id = ${id}`);
  }

  async #other(client: PlainClient, table: string, note?: string, also = ''): Promise<void> {
    const id = this.#key(OTHER_KEYS);
    const kind = pick(this.#random, ['insert', 'update', 'update', 'many', 'delete'] as const);
    if (kind === 'insert') return this.#insert(client, table, note ? 'id, v, note' : 'id, v', `${id}, ${id}${note ? `, ${note}` : ''}`);
    if (kind === 'delete') return client.run(`delete from ${table} where id = ${id}`);
    const which = kind === 'many' ? `id between ${id} and ${id + 40}` : `id = ${id}`;
    return client.run(`update ${table} set v = v + 1${also} where ${which}`);
  }

  #insert(client: PlainClient, table: string, columns: string, values: string): Promise<void> {
    return client.run(
      this.#end.type === 'postgres'
        ? `insert into ${table} (${columns}) values (${values}) on conflict do nothing`
        : `insert ignore into ${table} (${columns}) values (${values})`,
    );
  }

  /** Where another row has the key already, only this is taken back. */
  async #attempt(client: PlainClient, statement: string): Promise<void> {
    await client.run('savepoint attempt');
    try {
      await client.run(statement);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== '23505' && code !== 'ER_DUP_ENTRY') throw error;
      await client.run('rollback to savepoint attempt');
    }
  }

  /** In PostgreSQL among other changes, and taken back at times; elsewhere it is a transaction of its own. */
  async #empty(client: PlainClient): Promise<void> {
    await this.#alone(client, async () => client.run('truncate table emptied'));
    this.emptied++;
  }

  async #reshape(client: PlainClient): Promise<void> {
    const added = (await columnsOf(client, this.#end.type, 'shaped')).filter((name) => /^c\d/.test(name));
    const [one, name] = [pick(this.#random, added), `c${++this.#columns}`];
    const kinds = one === undefined ? (['plain', 'default'] as const) : (['plain', 'default', 'drop', 'rename', 'wider'] as const);
    const kind = added.length >= MOST_COLUMNS ? 'drop' : pick<string>(this.#random, kinds);
    const wider = this.#end.type === 'postgres' ? `alter column ${one} type bigint` : `modify column ${one} bigint`;
    const change = {
      plain: `add column ${name} int`,
      default: `add column ${name} int not null default ${this.#columns}`,
      drop: `drop column ${one}`,
      rename: `rename column ${one} to ${name}`,
      wider,
    }[kind];
    await this.#alone(client, async () => {
      await client.run(`alter table shaped ${change}`);
      if (kind === 'plain') await this.#other(client, 'shaped', undefined, `, ${name} = 5`);
    });
    this.reshaped++;
  }

  async #alone(client: PlainClient, work: () => Promise<void>): Promise<void> {
    if (this.#end.type !== 'postgres') return work();
    await client.run('begin');
    await this.#step(client);
    await work();
    await this.#step(client);
    await client.run(this.#random() < ROLLED_BACK ? 'rollback' : 'commit');
  }

  #key(most: number): number {
    return 1 + Math.floor(this.#random() * most);
  }
}

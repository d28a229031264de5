import { mysqlNumbers } from '../support/mysql-numbers.ts';
import type { PlainClient } from '../../src/cli/prove/plain-client.ts';
import type { EndType } from './ends.ts';

/** What is added to and taken from accounts is the same, in every transaction. */
export const ACCOUNTS = 30;
export const BALANCE = 1_000;
/** The tables that are followed from the start; others come later. */
export const FIRST_TABLES = ['accounts', 'numbered', 'docs', 'emptied', 'shaped'] as const;
const FIRST_ROWS = 400;
/** So long that PostgreSQL keeps it outside of the row, and its log leaves it out where it has not changed. */
const LARGE = 6_000;

/** Every change of `numbered` has a number of its own, which triggers write down: at the source into `made`, at the target into `seen`. */
const WITNESSED = 'numbered';
const NUMBERED = '(id bigint not null primary key, n bigint not null, v varchar(200))';

/** A large value that no compression makes small. */
export function large(type: EndType, seed: number): string {
  const pieces = Math.ceil(LARGE / 32);
  if (type === 'postgres') return `(select string_agg(md5((${seed} + i)::text), '') from generate_series(1, ${pieces}) i)`;
  const one = Array.from({ length: 20 }, (_, at) => `left(sha2(${seed + at}, 256), 32)`).join(', ');
  return `repeat(concat(${one}), ${Math.ceil(pieces / 20)})`;
}

/** Rows with the ids from `first` on, made by the server. */
export function series(type: EndType, first: number, count: number, columns: string): string {
  return type === 'postgres'
    ? `select ${columns} from generate_series(${first}, ${first + count - 1}) id`
    : `select ${columns} from (select n as id from (${mysqlNumbers(first, first + count - 1)}) ns) ids`;
}

/** Makes the tables of the source, with the rows that are there before anything is followed. */
export async function prepareSource(client: PlainClient, type: EndType): Promise<void> {
  const text = type === 'postgres' ? 'text' : 'longtext';
  await client.run('create table accounts (id int not null primary key, balance bigint not null, mark bigint)');
  await client.run(`insert into accounts ${series(type, 0, ACCOUNTS, `id, ${BALANCE}, 0`)}`);
  await client.run(`create table ${WITNESSED} ${NUMBERED}`);
  await client.run(`create table docs (id bigint not null primary key, title varchar(100), body ${text}, extra ${text})`);
  if (type === 'postgres') await client.run('alter table docs alter body set storage external');
  await client.run(`insert into docs ${series(type, 1, FIRST_ROWS / 10, `id, 'first', ${large(type, 1)}, null`)}`);
  await client.run(`create table emptied (id bigint not null primary key, v ${text})`);
  await client.run(`create table shaped (id bigint not null primary key, v int)`);
  await client.run(`insert into shaped ${series(type, 1, FIRST_ROWS, 'id, id')}`);
  await addWitness(client, type, 'made');
}

/** A table that is followed from later on, large enough for a kill to hit its load. */
export function laterTable(type: EndType, table: string, rows: number): string[] {
  const text = type === 'postgres' ? 'text' : 'longtext';
  return [
    `create table ${table} (id bigint not null primary key, v int, note ${text})`,
    `insert into ${table} ${series(type, 1, rows, `id, id, repeat('long ', 100)`)}`,
  ];
}

/** Makes what has to be at the target beforehand: the table whose changes are counted. */
export async function prepareTarget(client: PlainClient, type: EndType): Promise<void> {
  await client.run(`create table ${WITNESSED} ${NUMBERED}`);
  await addWitness(client, type, 'seen');
}

/** Triggers that write down each change, once for each time that it is made. */
async function addWitness(client: PlainClient, type: EndType, into: string): Promise<void> {
  const serial = { postgres: 'bigserial', mysql: 'bigint not null auto_increment', sqlite: 'integer' }[type];
  await client.run(`create table ${into} (place ${serial} primary key, op char(1) not null, n bigint not null)`);
  if (type === 'postgres') {
    await client.run(`create function witness() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then insert into public.${into} (op, n) values ('d', old.n);
      else insert into public.${into} (op, n) values (lower(left(tg_op, 1)), new.n); end if;
      return null; end $$`);
    await client.run(`create trigger witness after insert or update or delete on ${WITNESSED} for each row execute function witness()`);
    // Also for a session that says it replicates.
    await client.run(`alter table ${WITNESSED} enable always trigger witness`);
    return;
  }
  for (const [op, name, row] of [
    ['insert', 'i', 'new'],
    ['update', 'u', 'new'],
    ['delete', 'd', 'old'],
  ])
    await client.run(
      `create trigger witness_${name} after ${op} on ${WITNESSED} for each row begin insert into ${into} (op, n) values ('${name}', ${row}.n); end`,
    );
}

/** The columns that a table has. */
export async function columnsOf(client: PlainClient, type: EndType, table: string): Promise<string[]> {
  const schema = type === 'postgres' ? 'current_schema()' : 'database()';
  const found = await client.rows(
    `select column_name from information_schema.columns where table_schema = ${schema} and table_name = '${table}' order by ordinal_position`,
  );
  return found.map(([name]) => name ?? '');
}

import pg from 'pg';
import type { ApplyRequest, TargetChange } from '../src/connectors/changes.ts';
import type { Field } from '../src/connectors/contract.ts';
import type { Session } from '../src/connectors/session.ts';
import { newDatabase } from '../test/support/postgres-database.ts';
import { startPostgres } from '../test/support/postgres-server.ts';

// How quickly a PostgreSQL takes changes of a log: `node bench/apply.ts`. A table of 500,000 rows and five fields.

const ROWS = 500_000;
const fields: Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'name', type: 'text', nullable: true },
  { name: 'amount', type: 'decimal', nullable: true },
  { name: 'count', type: 'int64', nullable: true },
  { name: 'changed_at', type: 'timestamptz', nullable: true },
];

const server = await startPostgres();
const database = await newDatabase(server.url);
try {
  const session = await database.session();
  await database.run(`create table items (id int8 primary key, name text, amount numeric, count int8, changed_at timestamptz);
    insert into items select g, 'name ' || g, g * 0.01, g, now() from generate_series(1, ${ROWS}) g`);
  for (const statement of ['vacuum analyze items', 'checkpoint']) await database.run(statement);
  const streams: ApplyRequest['streams'] = [{ stream: 'public.items', fields, key: ['id'], create: false }];
  const applier = await (session.apply as NonNullable<Session['apply']>)({ streams, owner: 'bench', token: 1n });
  let next = ROWS;
  const row = (id: number): string[] => [String(id), `changed ${id}`, '12.50', String(id), '2026-11-15 04:42:11.123456+00'];
  const some = (): number => 1 + Math.floor(Math.random() * ROWS);

  /** Single-row updates of keys by chance. */
  const updates = (count: number): TargetChange[] => Array.from({ length: count }, () => ({ op: 'update', stream: 0, row: row(some()) }));

  /** Small transactions: some updates, an insert, which is changed at once, and the end of an older row. */
  const mixed = (count: number): TargetChange[] => {
    const changes: TargetChange[] = [];
    while (changes.length < count) {
      const id = ++next;
      changes.push({ op: 'update', stream: 0, row: row(some()) }, { op: 'insert', stream: 0, row: row(id) });
      changes.push({ op: 'update', stream: 0, row: row(id) }, { op: 'update', stream: 0, row: row(some()) });
      changes.push({ op: 'delete', stream: 0, key: [String(some())] });
    }
    return changes;
  };
  const hot = (count: number): TargetChange[] => Array.from({ length: count }, () => ({ op: 'update', stream: 0, row: row(7) }));

  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const cpuOfServer = async (): Promise<number> => {
    const { rows } = await client.query(
      `select sum((split_part(pg_read_file('/proc/' || pid || '/stat'), ' ', 14)::int + split_part(pg_read_file('/proc/' || pid || '/stat'), ' ', 15)::int) * 10) as ms
       from pg_stat_activity where application_name like 'syncline %'`,
    );
    return Number(rows[0].ms);
  };

  for (const [name, make, size, sets] of [
    ['updates, 10,000 a set', updates, 10_000, 20],
    ['mixed small transactions, 3,000 a set', mixed, 3000, 40],
    ['updates, 100 a set', updates, 100, 200],
    ['one key, 10,000 a set', hot, 10_000, 3],
  ] as const) {
    const given = Array.from({ length: sets + 2 }, () => make(size));
    for (const changes of given.splice(0, 2)) await applier.apply({ changes, position: 'warm' });
    const [start, own, cpu] = [performance.now(), process.cpuUsage(), await cpuOfServer()];
    let count = 0;
    for (const [position, changes] of given.entries()) {
      await applier.apply({ changes, position: String(position) });
      count += changes.length;
    }
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(own);
    const server = (await cpuOfServer()) - cpu;
    const rate = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
    console.log(
      `${name}: ${rate(count / seconds)}; by the processor time of the server ${rate(count / (server / 1000))}, of ours ${rate(count / ((user + system) / 1e6))}`,
    );
  }
  await client.end();
  await applier.close();
} finally {
  await database.close();
  server.stop();
}

// A first load with the whole structure, killed at random: also while indexes and foreign keys are made. The next run goes on, and both ends are the same in the end.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { End } from '../../src/engine/run.ts';
import { definitionOf, engineRuns, streamOf } from '../support/engine-run.ts';
import { mysqlDatabase } from '../support/mysql-database.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { isWhole } from '../support/whole.ts';
import { proofWorld } from './proof-world.ts';
import { type Random, withSeed } from './random.ts';
import { isLarge } from './sizes.ts';

const ALL = isWhole || isLarge;
const KILLS = ALL ? 20 : 1;
const ROWS = 20_000;
const INDEXES = ['a', 'b', 'c', 'a, b', 'b, c', 'c, a'];
const TABLES = ['album', 'track'];

/** Two tables that refer to each other, with indexes, in words that all systems know. */
function schema(numbers: string): string[] {
  return [
    'create table album (id int not null primary key, best int, a int, b varchar(40), c int default 7)',
    'create table track (id int not null primary key, album_id int not null, a int, b varchar(40) not null, c int)',
    `insert into album (id, best, a, b) select n, null, n % 77, 'album ' || n from ${numbers}`,
    `insert into track (id, album_id, a, b, c) select n, n, n % 99, 'track ' || n, n % 3 from ${numbers}`,
    'update album set best = id',
    ...TABLES.flatMap((table) => INDEXES.map((columns, n) => `create index ${table}_${n} on ${table} (${columns})`)),
  ];
}
const REFERENCES = [
  'alter table track add constraint of_album foreign key (album_id) references album (id) on delete cascade',
  'alter table album add constraint best_track foreign key (best) references track (id)',
];

interface Place {
  readonly end: (id: string) => End;
  readonly streams: readonly string[];
  run(statements: readonly string[]): Promise<void>;
  close(): Promise<unknown>;
}

const PLACES: Readonly<Record<string, (folder: string, name: string) => Promise<Place>>> = {
  postgres: async () => {
    const database = await newDatabase();
    return {
      end: (id) => ({ id, name: id, type: 'postgres', config: database.config }),
      streams: TABLES.map((table) => `public.${table}`),
      run: (statements) => database.run(statements.join('; ')),
      close: () => database.close(),
    };
  },
  mysql: async () => {
    const database = await mysqlDatabase();
    const { host, port, user, password, name } = database;
    return {
      end: (id) => ({ id, name: id, type: 'mysql', config: { host, port, user, password, database: name, tls: 'prefer' } }),
      streams: TABLES,
      run: async (statements) => {
        for (const statement of statements) await database.query(statement.replaceAll(/('\w+ ') \|\| n/g, 'concat($1, n)'));
      },
      close: () => database.close(),
    };
  },
  sqlite: async (folder, name) => {
    const path = join(folder, `${name}.db`);
    return {
      end: (id) => ({ id, name: id, type: 'sqlite', config: { path, create: true } }),
      streams: TABLES,
      run: async (statements) => {
        const database = new DatabaseSync(path);
        for (const statement of statements) database.exec(statement);
        database.close();
      },
      close: async () => {},
    };
  },
};

const NUMBERS: Readonly<Record<string, string>> = {
  postgres: `generate_series(1, ${ROWS}) n`,
  mysql: `(select seq as n from seq_1_to_${ROWS}) numbers`,
  sqlite: `(with recursive s(n) as (values (1) union all select n + 1 from s where n < ${ROWS}) select n from s)`,
};

const SCRIPT = fileURLToPath(new URL('../support/structure-run.ts', import.meta.url));

/** Runs it in a process of its own, killed after a while; answers how long it lived. */
async function runKilled(order: object, after: number): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(order)], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await Promise.race([ended, sleep(after)]);
  child.kill('SIGKILL');
  await ended;
  return performance.now() - began;
}

async function compare(runs: ReturnType<typeof engineRuns>, streams: readonly string[]): Promise<void> {
  const [source, target] = [await runs.open('source'), await runs.open('target')];
  try {
    const wanted = await source.structure?.describe(streams);
    assert.equal(wanted?.size, TABLES.length);
    assert.deepEqual(await target.structure?.describe(streams), wanted);
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

async function oneSystem(system: string, random: Random): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-structure-kill-'));
  const made = PLACES[system];
  assert.ok(made);
  const source = await made(folder, 'source');
  try {
    const inLine =
      system === 'sqlite' ? schema(NUMBERS[system] ?? '').map(withReferences) : [...schema(NUMBERS[system] ?? ''), ...REFERENCES];
    await source.run(inLine);
    let whole: number | undefined;
    for (let round = 0; round <= KILLS; round++) {
      const target = await made(folder, `target_${round}`);
      try {
        const definition = definitionOf(
          source.streams.map((stream) => streamOf(stream)),
          { structure: 'full' },
        );
        const order = { definition, ends: { source: source.end('from'), target: target.end('to') }, folder };
        // The first one lives as long as it takes.
        if (whole === undefined) whole = await runKilled(order, 60_000);
        else await runKilled(order, whole * (0.2 + 0.8 * random()));
        const runs = engineRuns({ ...order, firstToken: 10n });
        const outcome = await runs.run({ id: 'run_killed' });
        assert.deepEqual([outcome.status, runs.log.filter(({ level }) => level !== 'info')], ['succeeded', []]);
        assert.deepEqual(
          outcome.streams.map(({ report }) => report.rejected),
          [0, 0],
        );
        await compare(runs, source.streams);
      } finally {
        await target.close();
      }
    }
  } finally {
    await source.close();
    rmSync(folder, { recursive: true });
  }
}

/** SQLite takes foreign keys with the table only. */
function withReferences(statement: string): string {
  return statement
    .replace(/^(create table track .*)\)$/, '$1, foreign key (album_id) references album (id) on delete cascade)')
    .replace(/^(create table album .*)\)$/, '$1, foreign key (best) references track (id))');
}

for (const system of Object.keys(PLACES))
  test(`kill -9 in ${KILLS} first loads with their structure, ${system}: the next run goes on`, () =>
    withSeed((random) => oneSystem(system, random)));

test('kill -9, again and again, of a service that loads in parts: all indexes and foreign keys are there in the end', () =>
  withSeed(async (random) => {
    const world = await proofWorld({ SYNCLINE_SPLIT_ROWS: '4000' });
    try {
      await world.source.run([...schema(NUMBERS['postgres'] ?? ''), ...REFERENCES, 'analyze'].join('; '));
      for (let round = 0; round < (ALL ? 5 : 1); round++) {
        await world.target.run('drop table if exists album, track cascade');
        const streams = TABLES.map((table) => ({ source: `public.${table}`, mode: 'mirror' }));
        const id = await world.sync({ name: `moved ${round}`, streams, structure: 'full' }, round);
        const run = await world.start(id, 'run');
        for (let kill = 0; kill < 4; kill++) await world.killAfter(200 + random() * 1_500);
        const ended = await world.over(run);
        assert.equal(ended.status, 'succeeded', JSON.stringify(ended));
        const made = `select conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' union all
          select indexname, indexdef from pg_indexes where schemaname = 'public' and tablename in ('album', 'track') order by 1, 2`;
        const rows = 'select (select count(*) from album), (select count(distinct id) from album), (select count(*) from track)';
        for (const query of [made, rows]) assert.deepEqual(await clean(world.target.rows(query)), await clean(world.source.rows(query)));
      }
    } finally {
      await world.close();
    }
  }));

/** Without what Syncline keeps beside the tables. */
async function clean(rows: Promise<(string | null)[][]>): Promise<(string | null)[][]> {
  return (await rows).filter(([name]) => !name?.startsWith('_syncline'));
}

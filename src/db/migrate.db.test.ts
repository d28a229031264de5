import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runStatement } from '../../test/support/commands.ts';
import { createPlace, onBothEngines, type Place } from '../../test/support/databases.ts';
import { createLog } from '../lib/log.ts';
import type { Database } from './database.ts';
import { schemaProblem, SCHEMA_VERSION } from './migrate.ts';
import { openDatabase } from './open.ts';
import { byEngine, raw, sql } from './sql.ts';

const open = (place: Place): Promise<Database> => openDatabase({ ...place, poolSize: 2 }, createLog('silent'));

/** Everything that the engine knows about our tables. */
const schema = sql`${byEngine((engine) =>
  raw(
    engine === 'sqlite'
      ? 'select type, name, sql from sqlite_schema order by name'
      : `select table_name, column_name, data_type, collation_name, is_nullable, null as definition from information_schema.columns where table_schema = 'public'
         union all select tablename, indexname, null, null, null, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`,
  ),
)}`;

onBothEngines('migrations', (engine) => {
  test('make every table in an empty database, and then have nothing to do', async () => {
    const place = await createPlace(engine);
    try {
      const first = await open(place);
      const applied = await first.read.all<{ number: number; applied_at: string }>(sql`select * from migrations order by number`);
      const made = await first.read.all(schema);
      await first.write(runStatement, `insert into counters (name, n) values ('mine', 7)`);
      await first.close();
      assert.deepEqual(
        applied.map((row) => row.number),
        Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1),
      );
      assert.ok(made.length > 20, `${made.length} things made`);

      const second = await open(place);
      assert.deepEqual(await second.read.all(sql`select * from migrations order by number`), applied);
      assert.deepEqual(await second.read.all(schema), made);
      assert.deepEqual(
        (await second.read.all<{ n: number }>(sql`select n from counters where name = 'mine'`)).map((row) => row.n),
        [7],
      );
      await second.close();
    } finally {
      await place.remove();
    }
  });

  test('that were edited after they were taken are told, and those without a checksum get theirs', async () => {
    const place = await createPlace(engine);
    try {
      const first = await open(place);
      const checksums = sql`select number, checksum from migration_checksums order by number`;
      const kept = await first.read.all<{ number: number; checksum: string }>(checksums);
      assert.ok(kept.every(({ checksum }) => /^[\w-]{43}$/.test(checksum)));
      assert.equal(new Set(kept.map(({ checksum }) => checksum)).size, SCHEMA_VERSION);
      assert.equal(await schemaProblem(first.read), undefined);
      await first.write(runStatement, `delete from migration_checksums where number <> 4`);
      await first.write(runStatement, `update migration_checksums set checksum = 'of other statements' where number = 4`);
      await first.close();

      const second = await open(place);
      assert.match((await schemaProblem(second.read)) ?? '', /in the steps 4 \(logs\)\. .*backup/);
      assert.deepEqual(
        await second.read.all(checksums),
        kept.map((row) => (row.number === 4 ? { ...row, checksum: 'of other statements' } : row)),
      );
      await second.close();
    } finally {
      await place.remove();
    }
  });

  test('of a newer program that this one cannot work beside are refused in plain words, and nothing is changed', async () => {
    const place = await createPlace(engine);
    try {
      const db = await open(place);
      const newer = SCHEMA_VERSION + 3;
      await db.write(runStatement, tomorrow(newer, SCHEMA_VERSION + 1));
      const before = await db.read.all(schema);
      await db.close();
      const message = new RegExp(
        `newer Syncline \\(schema ${newer}, this program knows ${SCHEMA_VERSION}\\)\\. Nothing was changed\\. .*restore a backup`,
      );
      await assert.rejects(open(place), message);
      // Refused again: the failed start has left no lock behind and nothing half done.
      await assert.rejects(open(place), message);
      const looker = engine === 'sqlite' ? await lookAtFile(place) : await lookAtServer(place);
      assert.deepEqual(await looker.all(schema), before);
      await looker.close();
    } finally {
      await place.remove();
    }
  });

  test('of a newer program that only add, or take away what this one does without, do no harm', async () => {
    const place = await createPlace(engine);
    try {
      const db = await open(place);
      await db.write(runStatement, tomorrow(SCHEMA_VERSION + 1, null));
      await db.write(runStatement, tomorrow(SCHEMA_VERSION + 2, SCHEMA_VERSION));
      await db.close();
      const again = await open(place);
      await again.write(runStatement, `insert into counters (name, n) values ('mine', 7)`);
      assert.deepEqual(await again.read.all(sql`select n from counters where name = 'mine'`), [{ n: 7 }]);
      await again.close();
    } finally {
      await place.remove();
    }
  });
});

/** A step that this program does not know. */
function tomorrow(number: number, needs: number | null): string {
  return `insert into migrations (number, name, applied_at, needs) values (${number}, 'of tomorrow', 'tomorrow', ${needs})`;
}

test('migrations, with five nodes that start at once on an empty PostgreSQL, run once', async () => {
  const place = await createPlace('postgres');
  try {
    const nodes = await Promise.all(Array.from({ length: 5 }, () => open(place)));
    for (const node of nodes) {
      const applied = await node.read.all<{ number: number }>(sql`select number from migrations order by number`);
      assert.deepEqual(
        applied.map(({ number }) => number),
        Array.from({ length: SCHEMA_VERSION }, (_, i) => i + 1),
      );
      assert.deepEqual(await node.read.all(sql`select n from counters where name = 'events'`), [{ n: 0 }]);
    }
    await Promise.all(nodes.map((node) => node.close()));
  } finally {
    await place.remove();
  }
});

/** A look past our own way of opening a database. */
async function lookAtFile(place: Place) {
  const { openSqlite, SqliteConnection } = await import('./sqlite-connection.ts');
  const { sqliteFile } = await import('./open.ts');
  const database = openSqlite(sqliteFile(place.dataDir), 'read');
  const connection = new SqliteConnection(database);
  return { all: (query: typeof schema) => connection.all(query), close: async () => database.close() };
}

async function lookAtServer(place: Place) {
  const { default: pg } = await import('pg');
  const { compile } = await import('./sql.ts');
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  return {
    all: async (query: typeof schema) => (await client.query(compile(query, 'postgres').text)).rows as unknown[],
    close: () => client.end(),
  };
}

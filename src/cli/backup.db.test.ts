import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { settingsOf, syncline } from '../../test/support/command-line.ts';
import { createPlace, ENGINES, onBothEngines, type Place } from '../../test/support/databases.ts';
import { dump, inDatabase } from '../../test/support/dump.ts';
import { type Service, startService } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import { type VariedShop, varyShop } from '../../test/support/varied-shop.ts';
import { checkWhole } from '../../test/support/whole-shop.ts';
import { sql } from '../db/sql.ts';
import { BACKUP_TABLES } from './backup/backup-tables.ts';
import { runStatement } from '../../test/support/commands.ts';

// More than one reads at a time, and more than one writes at a time.
const ORDERS = 1200;

onBothEngines('syncline backup and restore', (engine) => {
  let service: Service;
  let shop: VariedShop;
  let folder: string;
  const places: Place[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'syncline-backup-'));
    service = await startService(engine);
    shop = await varyShop(service, ORDERS);
    const hook = await service.post('/api/v1/datasync/hooks', { name: 'a hook', scheme: 'token' });
    await service.call('POST', new URL(hook.body.data.url).pathname, { key: null, raw: '{"a": 1}', headers: { 'webhook-id': 'm' } });
    const endpoint = { name: 'nobody listens', url: 'http://127.0.0.1:9/', types: ['product.*'], headers: { 'X-Key': 'k' }, from: 'start' };
    const path = `/api/v1/webhooks/${(await service.post('/api/v1/webhooks', endpoint)).body.data.id}`;
    await until('a delivery to wait', async () => (await service.get(path)).body.data.waiting > 0);
    await service.post(`${path}/pause`);
    // Of a source that is to be told long after this test.
    await service.app.db.write(
      runStatement,
      `insert into log_releases values ('r', 'syn_1', 'a', 'src_1', 'b', 'fake', '{}', null, '2026-11-01T09:00:00.000Z', 1, '9999-01-01T00:00:00.000Z', 'away', 'log')`,
    );
    await service.app.db.write(
      runStatement,
      `insert into erasures values ('era_1', 'done', 'erased-1', null, null, null, 9, 1, 'key_1', '2026-11-01T09:00:00.000Z', '2026-11-01T09:00:01.000Z')`,
    );
    await service.app.db.write(
      runStatement,
      `insert into sync_versions select id, version, name, source_id, target_id, definition, updated_at, 'operator', '["name"]', 1 from syncs limit 1`,
    );
    await service.app.db.write(runStatement, `insert into delivered select id, 'people', 1, 1, 'run_1', 'AAAA' from syncs limit 1`);
  });
  after(async () => {
    await service.close();
    await Promise.all(places.map((place) => place.remove()));
    rmSync(folder, { recursive: true });
  });

  async function newPlace(of: (typeof ENGINES)[number]): Promise<Place> {
    const place = await createPlace(of);
    places.push(place);
    return place;
  }

  test('a backup made while orders arrive shows one moment: every order whole, every count right', async () => {
    let sent = 0;
    let acknowledged = 0;
    const closing = new AbortController();
    const post = async (): Promise<void> => {
      while (!closing.signal.aborted) {
        sent++;
        const body = { customer_id: 'busy', items: [{ product_id: 'NULL', quantity: 1, price: 1 }] };
        const { status, text } = await service.post('/api/v1/orders', body, { headers: { 'idempotency-key': `busy-${sent}` } });
        assert.equal(status, 200, text);
        acknowledged++;
      }
    };
    const customers = Array.from({ length: 8 }, post);
    await until('the first orders', () => acknowledged > 50);
    const before = acknowledged;
    const file = join(folder, 'busy');
    const made = await syncline(['backup', file], settingsOf(service.place));
    assert.equal(made.code, 0, made.stderr);
    const during = acknowledged;
    closing.abort();
    await Promise.all(customers);
    assert.ok(during > before, 'orders arrived meanwhile');

    const place = await newPlace(engine);
    assert.equal((await syncline(['restore', file], settingsOf(place))).code, 0);
    await inDatabase(place, async (db) => {
      await checkWhole(db);
      const [row] = await db.all<{ n: number }>(sql`select count(*) as n from orders where customer_id = 'busy'`);
      assert.ok(row && row.n >= before && row.n <= during, `${row?.n} orders; ${before} before and ${during} after`);
    });
  });

  test('what is restored is what was there, row by row, on either engine', async () => {
    const file = join(folder, 'quiet');
    // Now and then the service writes down when keys were used; that must not happen between backup and comparison.
    const original: Record<string, string[]> = await until('a backup that nothing was written beside', async () => {
      const { audit: _before, ...before } = await dump(service.app.db.read);
      assert.equal((await syncline(['backup', file, '--force'], settingsOf(service.place))).code, 0);
      const { audit = [], ...after } = await dump(service.app.db.read);
      return isDeepStrictEqual(after, before) && { ...after, audit };
    });
    assert.match(original.audit?.at(-1) ?? '', /"command line","backup.started","",/);
    for (const name of Object.keys(original)) assert.ok((original[name]?.length ?? 0) > 0, `${name} is tried with rows`);
    const rows = textOf(file).filter((line) => line.startsWith('['));
    assert.deepEqual(
      rows,
      BACKUP_TABLES.flatMap(({ name }) => original[name] ?? []),
      'the file holds the same on both engines',
    );
    for (const target of ENGINES) {
      const place = await newPlace(target);
      const { code, stdout, stderr } = await syncline(['restore', file], settingsOf(place));
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^Restored [\d,]+ orders, 4 products, [\d,]+ events and 4 keys from /);
      await inDatabase(place, async (db) => {
        const { audit = [], ...others } = await dump(db);
        const { audit: auditBefore = [], ...othersBefore } = original;
        assert.deepEqual(others, othersBefore);
        assert.deepEqual(audit.slice(0, -1), auditBefore);
        assert.match(audit.at(-1) ?? '', /"command line","backup.restored"/);
      });
      await checkService(target, place);
    }
  });

  /** The restored service goes on where the other one was. */
  async function checkService(target: (typeof ENGINES)[number], place: Place): Promise<void> {
    const restored = await startService(target, {
      place,
      environment: { SYNCLINE_ADMIN_KEY: 'the operator, for the moment'.replaceAll(' ', '-') },
    });
    try {
      const { reader, rotated, revoked } = shop.keys;
      const statuses = await Promise.all(
        [reader, rotated, revoked].map(async (key) => (await restored.get('/api/v1/orders', { key })).status),
      );
      assert.deepEqual(statuses, [200, 200, 401]);
      const key = service.adminKey;
      const replayed = await restored.call('POST', '/api/v1/orders', {
        key,
        raw: shop.first.raw,
        headers: { 'idempotency-key': shop.first.idempotencyKey },
      });
      assert.equal(replayed.text, shop.first.answer);
      assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
      const next = { customer_id: 'next', items: [{ product_id: 'NULL', quantity: 1, price: 1 }] };
      assert.equal((await restored.post('/api/v1/orders', next, { key })).status, 200);
      await checkWhole(restored.app.db.read);
    } finally {
      await restored.close();
    }
  }

  test('the file is for its owner only, compressed, and whole or not there', async () => {
    const file = join(folder, 'file');
    const environment = settingsOf(service.place);
    const { code, stdout } = await syncline(['backup', file], environment);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^Wrote ${file} \\([\\d.]+ KB\\): [\\d,]+ orders, 4 products, [\\d,]+ events and 4 keys\\.\n`));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(existsSync(`${file}.part`), false);
    const [header = ''] = textOf(file);
    assert.match(header, /^\{"format":"syncline-backup","version":1,"schema":\d+,"created_at":"[^"]+","app":"[^"]+"\}$/);

    const { mtimeMs } = statSync(file);
    const [again, nowhere, directory] = await Promise.all([
      syncline(['backup', file], environment),
      syncline(['backup', join(folder, 'no', 'such')], environment),
      syncline(['backup', folder], environment),
    ]);
    assert.deepEqual([again.code, again.stderr], [1, `${file} exists already. Name another file, or replace it with --force.\n`]);
    assert.equal(statSync(file).mtimeMs, mtimeMs);
    assert.deepEqual([nowhere.code, nowhere.stderr], [1, `The folder ${join(folder, 'no')} does not exist.\n`]);
    assert.deepEqual([directory.code, directory.stderr], [1, `${folder} is a folder. Name a file in it.\n`]);
    assert.equal((await syncline(['backup', file, '--force'], environment)).code, 0);
    assert.ok(statSync(file).mtimeMs > mtimeMs);
  });

  test('a place without a database is told as such', async () => {
    const place = await newPlace(engine);
    const { code, stderr } = await syncline(['backup', join(folder, 'nothing')], settingsOf(place));
    assert.equal(code, 1);
    assert.match(stderr, /^There is no (database in|Syncline in this database)/);
    assert.equal(existsSync(join(folder, 'nothing')), false);
  });

  test('no table and no column is forgotten', async () => {
    const columns = await service.app.db.read.all<{ table_name: string; column_name: string }>(
      engine === 'sqlite'
        ? sql`select m.name as table_name, c.name as column_name from sqlite_master m join pragma_table_info(m.name) c
            where m.type = 'table' order by m.name, c.cid`
        : sql`select table_name, column_name from information_schema.columns where table_schema = 'public'
            order by table_name, ordinal_position`,
    );
    const there = Map.groupBy(columns, (column) => column.table_name);
    for (const name of ['migrations', 'migration_checksums', 'nodes', 'run_parts', 'duties', 'lag_points', 'sessions'])
      assert.ok(there.delete(name));
    // The index of orders is made anew from them.
    for (const name of [...there.keys()].filter((table) => /^order_(find_|customers$)/.test(table))) there.delete(name);
    // Log entries tell what this installation did; they stay behind, with all that is made from them.
    for (const name of [...there.keys()].filter((table) => /^logs$|^log_(?!releases$)/.test(table))) there.delete(name);
    for (const name of there.keys()) if (/^logs?(_(?!releases$)|$)/.test(name)) there.delete(name);
    const expected = [...there].map(([name, own]) => `${name}: ${own.map((column) => column.column_name).join(', ')}`);
    const kept = BACKUP_TABLES.map(({ name, columns: own }) => `${name}: ${Object.keys(own).join(', ')}`);
    assert.deepEqual(kept.sort(), expected.sort());
  });
});

function textOf(file: string): string[] {
  return zstdDecompressSync(readFileSync(file)).toString().split('\n');
}

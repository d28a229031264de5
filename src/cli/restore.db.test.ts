import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { settingsOf, syncline } from '../../test/support/command-line.ts';
import { createPlace, onBothEngines, type Place } from '../../test/support/databases.ts';
import { dump, inDatabase } from '../../test/support/dump.ts';
import { startService } from '../../test/support/service.ts';
import { readConfig } from '../config.ts';
import { SCHEMA_VERSION } from '../db/migrate.ts';
import { CliError } from './errors.ts';
import { restore } from './restore.ts';

onBothEngines('syncline restore refuses', (engine) => {
  let folder: string;
  let good: string;
  let lines: string[];
  let source: Place;
  let target: Place;
  let untouched: Record<string, string[]>;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'syncline-restore-'));
    good = join(folder, 'good');
    source = await createPlace(engine);
    target = await createPlace(engine);
    const filled = await syncline(['demo', '--orders', '200', '--products', '5'], settingsOf(source));
    assert.equal(filled.code, 0, filled.stderr);
    assert.equal((await syncline(['backup', good], settingsOf(source))).code, 0);
    lines = zstdDecompressSync(readFileSync(good)).toString().trimEnd().split('\n');
    // A service was started there once, so it has a key of its own.
    await (await startService(engine, { place: target })).close();
    await inDatabase(target, async (db) => {
      untouched = await dump(db);
    });
    assert.equal(untouched['keys']?.length, 1);
  });
  after(async () => {
    await Promise.all([source.remove(), target.remove()]);
    rmSync(folder, { recursive: true });
  });

  async function refuses(file: string, place: Place, message: RegExp): Promise<void> {
    await assert.rejects(restore([file], readConfig(settingsOf(place))), (error) => {
      assert.ok(error instanceof CliError, String(error));
      assert.match(error.message, message);
      return true;
    });
    if (place !== target) return;
    await inDatabase(target, async (db) => assert.deepEqual(await dump(db), untouched, 'the target is as it was'));
  }

  function forged(name: string, text: readonly string[]): string {
    const file = join(folder, name);
    writeFileSync(file, zstdCompressSync(text.map((line) => `${line}\n`).join('')));
    return file;
  }

  function rewritten(line: number, change: (text: string) => string): string[] {
    return lines.with(line, change(lines.at(line) ?? ''));
  }

  test('a file that is damaged anywhere, and leaves no trace of what was read before', async () => {
    const damaged = /is damaged or incomplete\. Nothing was restored\.$/;
    const bytes = readFileSync(good);
    const cut = join(folder, 'cut');
    for (const length of [bytes.length - 1, Math.floor(bytes.length * 0.9), 100]) {
      writeFileSync(cut, bytes.subarray(0, length));
      await refuses(cut, target, damaged);
    }
    const flipped = join(folder, 'flipped');
    copyFileSync(good, flipped);
    const middle = Math.floor(bytes.length * 0.7);
    writeFileSync(flipped, Buffer.from(bytes).fill((bytes[middle] ?? 0) ^ 1, middle, middle + 1));
    await refuses(flipped, target, damaged);
    await refuses(forged('no end', lines.slice(0, -1)), target, damaged);
    const row = lines.findLastIndex((line) => line.startsWith('[') && line.includes('"orders"'));
    await refuses(forged('a row less', lines.toSpliced(row, 1)), target, damaged);
    await refuses(
      forged(
        'another value',
        rewritten(row, (text) => text.replace('"orders"', '"0rders"')),
      ),
      target,
      damaged,
    );
    await refuses(
      forged(
        'another count',
        rewritten(-1, (text) => text.replace('"orders":200', '"orders":201')),
      ),
      target,
      damaged,
    );
    await refuses(forged('more after the end', [...lines, lines.at(-2) ?? '']), target, damaged);
    await refuses(
      forged(
        'a column less',
        rewritten(1, (text) => text.replace(',"n"', '')),
      ),
      target,
      damaged,
    );
    await refuses(
      forged(
        'not JSON',
        rewritten(2, (text) => text.slice(1)),
      ),
      target,
      damaged,
    );
  });

  test('a backup of a newer version, before anything is made for it; and what is none of an older one', async () => {
    const nowhere: Place = { ...target, dataDir: join(folder, 'nowhere') };
    const withSchema = (schema: number) => rewritten(0, (text) => text.replace(/"schema":\d+/, `"schema":${schema}`));
    const newer = /newer was written by a newer Syncline \(\d+\.\d+\.\d+\)\. Restore it with that one\.$/;
    await refuses(forged('newer', withSchema(SCHEMA_VERSION + 1)), nowhere, newer);
    await refuses(
      forged(
        'newer',
        rewritten(0, (text) => text.replace('"version":1', '"version":2')),
      ),
      nowhere,
      newer,
    );
    assert.equal(existsSync(nowhere.dataDir), false);
    // One of an older version that has what only this one can have. Those that have not are in test/e2e/opens-older.test.ts.
    await refuses(forged('older', withSchema(SCHEMA_VERSION - 1)), target, /is damaged or incomplete\. Nothing was restored\.$/);
    assert.deepEqual(
      readdirSync(target.dataDir).filter((name) => name.startsWith('restore-')),
      [],
    );
  });

  test('what is no backup', async () => {
    const text = join(folder, 'text');
    writeFileSync(text, 'hello');
    await refuses(text, target, /text is not a backup of Syncline\.$/);
    await refuses(forged('other', ['{"format":"tar"}']), target, /other is not a backup of Syncline\.$/);
    await refuses(forged('null', ['null']), target, /null is not a backup of Syncline\.$/);
    writeFileSync(text, '');
    await refuses(text, target, /text is damaged or incomplete/);
    await refuses(folder, target, /is a folder, not a backup\.$/);
    await refuses(join(folder, 'missing'), target, /^There is no file .*missing\.$/);
  });

  test('to write into a shop that is in use', async () => {
    await refuses(good, source, /^The database is not empty: it holds 200 orders, 5 products, [\d,]+ events\. Nothing was changed\./);
    if (engine === 'postgres') return;
    const service = await startService(engine, { place: target });
    await refuses(good, source, /is not empty/);
    const { code, stderr } = await syncline(['restore', good], settingsOf(target));
    await service.close();
    assert.equal(code, 1);
    assert.match(stderr, /^Another Syncline is using this data directory/);
  });

  test('nothing when all is well, though a key is there: it is replaced', async () => {
    const { code, stdout } = await syncline(['restore', good], settingsOf(target));
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^Restored 200 orders, 5 products, [\d,]+ events and 0 keys from .*\nThe backup holds no keys: the next start makes an admin key/,
    );
    const service = await startService(engine, { place: target });
    assert.equal((await service.get('/api/v1/orders')).body.total, 200);
    assert.equal((await service.get('/api/v1/keys')).body.total, 1);
    await service.close();
  });
});

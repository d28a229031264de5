import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { HookPort } from '../../connectors/hook-port.ts';
import type { ShopPort } from '../../connectors/shop-port.ts';
import { createLog } from '../../lib/log.ts';
import { withHeavyView } from '../../../test/support/heavy-view.ts';
import type { SourceSecrets } from './kept-secrets.ts';
import { createProber, MAX_THREADS, type ProberOptions } from './prober.ts';

function proberFor(folder: string, options: Partial<ProberOptions> = {}) {
  const roots = { folders: [folder], dataDir: join(folder, 'own') };
  return createProber({
    networks: 'any',
    roots,
    shop: {} as ShopPort,
    hooks: {} as HookPort,
    secrets: {} as SourceSecrets,
    memory: 256,
    log: createLog('silent'),
    ...options,
  });
}

test('views that take for ever, however many, hold up nobody for longer than their time', { timeout: 60_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-prober-'));
  const prober = proberFor(folder, { timeLimit: 5_000 });
  t.after(async () => {
    await prober.close();
    rmSync(folder, { recursive: true });
  });
  const config = { path: withHeavyView(join(folder, 'heavy.db')) };
  for (let round = 0; round < 3; round++) {
    const asked = Array.from({ length: MAX_THREADS }, () => prober.ask('sqlite', config, { ask: 'streams' }));
    for (const { status, reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[])
      assert.deepEqual([status, reason?.code], ['rejected', 'TIMEOUT']);
  }
  const { message } = await prober.ask('sqlite', config, { ask: 'check' });
  assert.match(message, /heavy\.db" with 2 tables/);
  const sample = await prober.ask('sqlite', config, { ask: 'sample', stream: 't', limit: 3 });
  assert.deepEqual(sample.rows, ['{"id":1}', '{"id":2}', '{"id":3}']);
});

test('what an SQLite file is asked costs no more memory than it may', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-prober-'));
  const prober = proberFor(folder, { memory: 4 });
  t.after(async () => {
    await prober.close();
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, 'wide.db');
  const made = new DatabaseSync(path);
  made.exec('begin');
  for (let n = 0; n < 5000; n++) made.exec(`create table t${n} (id integer primary key, name text, at datetime)`);
  made.exec('commit');
  made.close();
  await assert.rejects(prober.ask('sqlite', { path }, { ask: 'streams' }), { code: 'OUT_OF_MEMORY' });
});

// The look at its memory comes a moment later than this.
for (const type of ['sqlite', 'postgres'])
  test(`a thread that asks a ${type} and takes all memory at once has taken too much, and is no fault of ours`, async (t) => {
    const prober = proberFor(tmpdir(), { memory: 1 });
    t.after(() => prober.close());
    await assert.rejects(prober.ask(type, {}, { ask: 'check' }), { code: 'OUT_OF_MEMORY', kind: 'config' });
  });

test('what is made ready is asked sooner: its connectors are loaded, whatever is wrong with some, and by one thread however many want it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-prober-'));
  const config = { name: `ready ${Math.random()}`, streams: [] };
  const timed = async (isReady: boolean): Promise<number> => {
    const prober = proberFor(folder);
    t.after(() => prober.close());
    if (isReady) await Promise.all(Array.from({ length: 5 }, () => prober.makeReady(['fake', 'sqlite', 'no-such-type', 'fake'])));
    const begun = performance.now();
    await prober.ask('fake', config, { ask: 'streams' });
    return performance.now() - begun;
  };
  t.after(() => rmSync(folder, { recursive: true }));
  const [cold, ready] = [await timed(false), await timed(true)];
  // To start a thread and to load all that it needs takes many times as long as to ask it; by how much depends on the machine.
  assert.ok(ready < cold / 2, `${ready} ms when ready, ${cold} ms when not`);
});

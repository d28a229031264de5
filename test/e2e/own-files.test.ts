// Code that a synchronization writes must never be code that the service runs.
import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startApi } from '../support/api-server.ts';
import { onEitherEngine } from '../support/databases.ts';
import { addSource, ask, reaches, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { startService } from '../support/service.ts';

const program = realpathSync(fileURLToPath(new URL('../..', import.meta.url)));
const CODE = 'globalThis.taken = true;';

onEitherEngine("Syncline's own files", (engine) => {
  for (const [settings, environment] of [
    ['the default settings', {}],
    ['every folder as a root', { SYNCLINE_FILE_ROOTS: '/' }],
  ] as const) {
    test(`cannot be replaced by a synchronization: with ${settings}`, async (t) => {
      // A module of the program that nobody misses.
      const folder = mkdtempSync(join(program, 'node_modules', '.module-'));
      const module = join(folder, 'connector.ts');
      writeFileSync(module, 'export {};\n');
      t.after(() => rmSync(folder, { recursive: true }));
      const api = await startApi((_, response) => void response.end(`code\n"${CODE}"\n`));
      t.after(() => api.close());
      const service = await startService(engine, { environment });
      t.after(() => service.close());
      const files = join(service.place.dataDir, 'files');
      mkdirSync(files, { recursive: true });
      symlinkSync(folder, join(files, 'link'));
      const source_id = await addSource(service, 'files', { url: `${api.url}/code.csv`, name: 'code' });

      for (const config of [
        { path: module, format: 'csv', header: 'no' },
        { path: folder, format: 'csv' },
        { path: join(files, 'link'), format: 'csv' },
        { path: join(files, 'link', 'connector.ts'), format: 'csv' },
        { path: join(service.place.dataDir, 'admin-key'), format: 'csv' },
      ]) {
        const checked = await ask(service, 'POST', '/sources/check', { type: 'files', config });
        assert.deepEqual(
          [checked.error?.code, /SYNCLINE_FILE_ROOTS/.test(checked.error?.hint)],
          ['PATH_REFUSED', true],
          JSON.stringify(checked),
        );
        const target_id = await addSource(service, 'files', config, config.path);
        const streams = [{ source: 'code', target: 'connector', mode: 'append' }];
        const made = await service.post('/api/v1/datasync/sync', { name: config.path, source_id, target_id, streams });
        if (made.status === 200) assert.equal((await runToEnd(service, made.body.data.id)).status, 'failed', made.text);
        else assert.match(made.text, /belongs to Syncline itself|outside the folders/);
      }
      for (const path of [join(folder, 'new.db'), join(files, 'link', 'new.db'), join(service.place.dataDir, 'syncline.db')]) {
        const checked = await ask(service, 'POST', '/sources/check', { type: 'sqlite', config: { path } });
        assert.equal(checked.error?.code, 'PATH_REFUSED', path);
      }
      assert.equal(readFileSync(module, 'utf8'), 'export {};\n');
      assert.deepEqual(readdirSync(folder), ['connector.ts']);
    });
  }

  test('a relative path begins in the folder for files, and what is written is not for all users', async (t) => {
    const api = await startApi((_, response) => void response.end('id,name\n1,a\n'));
    t.after(() => api.close());
    const service = await startService(engine);
    t.after(() => service.close());
    const files = join(service.place.dataDir, 'files');
    const before = readFileSync(join(program, 'src/connectors/mysql/connector.ts'), 'utf8');
    const source_id = await addSource(service, 'files', { url: `${api.url}/rows.csv`, name: 'rows' });
    const into = async (type: string, config: { path: string }, stream: Record<string, unknown>): Promise<void> => {
      const target_id = await addSource(service, type, config, config.path);
      const sync = await ask(service, 'POST', '/sync', {
        name: config.path,
        source_id,
        target_id,
        streams: [{ source: 'rows', ...stream }],
      });
      const run = await runToEnd(service, sync.id);
      assert.equal(run.status, 'succeeded', JSON.stringify(run));
    };
    await into('files', { path: 'src/connectors/mysql' }, { target: 'connector.ts', mode: 'append' });
    await into('sqlite', { path: 'rows.db' }, { target: 'rows', mode: 'append' });
    const folder = join(files, 'src/connectors/mysql');
    assert.ok(readdirSync(folder).includes('connector.ts.csv'), readdirSync(folder).join());
    assert.equal(readFileSync(join(program, 'src/connectors/mysql/connector.ts'), 'utf8'), before);
    for (const path of [join(folder, 'connector.ts.csv'), join(files, 'rows.db'), folder, join(folder, '.syncline')])
      assert.equal(statSync(path).mode & 0o007, 0, path);
    // What was opened to others stays so.
    writeFileSync(join(files, 'shared.csv'), 'id,name\n', { mode: 0o664 });
    const { mode } = statSync(join(files, 'shared.csv'));
    await into('files', { path: 'shared.csv' }, { target: 'shared', mode: 'append' });
    assert.deepEqual([readFileSync(join(files, 'shared.csv'), 'utf8'), statSync(join(files, 'shared.csv')).mode], ['id,name\n1,a\n', mode]);
  });

  test('are not moved by what a synchronization writes beside its files', async (t) => {
    const service = await startService(engine);
    t.after(() => service.close());
    const { dataDir } = service.place;
    writeFileSync(join(dataDir, 'secret-key'), 'the key of all secrets');
    let answer = 'id\n1\n';
    const api = await startApi((_, response) => void response.end(answer));
    t.after(() => api.close());
    const source_id = await addSource(service, 'files', { url: `${api.url}/rows.csv`, name: 'rows' });
    const target_id = await addSource(service, 'files', { path: 'out/' });
    const streams = [{ source: 'rows', target: 'loot', mode: 'append' }];
    const sync = await ask(service, 'POST', '/sync', { name: 'a', source_id, target_id, streams });
    assert.equal((await runToEnd(service, sync.id)).status, 'succeeded');
    const kept = join(dataDir, 'files', 'out', '.syncline');
    const work = readdirSync(kept).find((name) => !name.endsWith('.json')) ?? '';
    const [state = ''] = readdirSync(join(kept, work));
    // What the next run would find there, and put in the place of its file.
    const planted = { ...JSON.parse(readFileSync(join(kept, work, state), 'utf8')), final: '../../../../secret-key' };
    answer = `${JSON.stringify(planted)}\n`;
    const planter = await addSource(service, 'files', { url: `${api.url}/state.jsonl`, name: 'state' });
    const config = { path: `out/.syncline/${work}/${state}`, format: 'jsonl' };
    const checked = await ask(service, 'POST', '/sources/check', { type: 'files', config });
    assert.equal(checked.error?.code, 'PATH_REFUSED', JSON.stringify(checked));
    const definition = {
      name: 'plant',
      source_id: planter,
      target_id: await addSource(service, 'files', config),
      streams: [{ source: 'state', target: state.replace('.json', ''), mode: 'mirror' }],
      guard: { max_delete_percent: 100, allow_empty: true },
    };
    const made = await service.post('/api/v1/datasync/sync', definition);
    assert.match(made.text, /belongs to Syncline itself/);
    // An attacker who can write there by another way gets no further.
    writeFileSync(join(kept, work, state), answer);
    answer = 'id\n1\n2\n';
    const { id } = await ask(service, 'POST', `/sync/${sync.id}/runs`);
    const run = await reaches(service, id, ['retrying', 'failed', 'succeeded']);
    assert.equal(run.error?.code, 'STAGE_LOST', JSON.stringify(run));
    assert.equal(readFileSync(join(dataDir, 'secret-key'), 'utf8'), 'the key of all secrets');
    assert.equal(readFileSync(join(dataDir, 'files', 'out', 'loot.csv'), 'utf8'), 'id\n1\n');
  });

  test('are not read through a second name, nor written by SQLite beside a database', async (t) => {
    const service = await startService(engine);
    t.after(() => service.close());
    const { dataDir } = service.place;
    const database = sqliteFile(service.place, 'a.db');
    const key = join(dataDir, 'secret-key');
    writeFileSync(key, 'the key of all secrets');
    for (const name of ['key.csv', 'a.db-wal', 'b.db']) linkSync(key, join(dataDir, 'files', name));
    for (const [type, path] of [
      ['files', 'key.csv'],
      ['sqlite', 'a.db'],
      ['sqlite', 'b.db'],
    ] as const) {
      const checked = await ask(service, 'POST', '/sources/check', { type, config: { path } });
      assert.equal(checked.error?.code, 'PATH_REFUSED', `${type} ${path}`);
    }
    assert.equal(readFileSync(key, 'utf8'), 'the key of all secrets');
    rmSync(`${database}-wal`);
    assert.equal((await ask(service, 'POST', '/sources/check', { type: 'sqlite', config: { path: 'a.db' } })).error, null);
  });
});

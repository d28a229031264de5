import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { type Ended, settingsOf, syncline } from '../../test/support/command-line.ts';
import { createPlace, onEitherEngine } from '../../test/support/databases.ts';
import { startProcess } from '../../test/support/process.ts';
import { type Service, startService } from '../../test/support/service.ts';

const FILE = `# Our shop.
sources:
  shop:
    type: sqlite
    config: { path: shop.db } # the till
  warehouse:
    type: sqlite
    config:
      path: warehouse.db
syncs:
  everything:
    source: shop
    target: warehouse
    streams:
      - source: "*" # all but what is told apart
        exclude: [audit]
alerts:
  operations:
    channel: { type: slack, url: "\${file:slack.txt}" }
    rules: [{ type: failing }]
`;

onEitherEngine('syncline lint, plan, apply and export', (engine) => {
  let service: Service;
  let settings: Record<string, string>;
  const cli = (...args: string[]): Promise<Ended> => syncline(args, settings);
  const path = (name: string): string => join(service.place.dataDir, name);

  before(async () => {
    service = await startService(engine);
    settings = { ...settingsOf(service.place), SYNCLINE_URL: service.url };
    mkdirSync(path('files'), { recursive: true });
    const db = new DatabaseSync(path('files/shop.db'));
    db.exec('create table customers (id integer primary key, name text); create table audit (id integer primary key)');
    db.close();
    new DatabaseSync(path('files/warehouse.db')).exec('create table unrelated (id integer primary key)');
    writeFileSync(path('a.yaml'), FILE);
  });
  after(() => service.close());

  test('a file is checked, planned and applied; what is missing is named with its line', async () => {
    const wrong = path('wrong.yaml');
    writeFileSync(wrong, FILE.replace('type: sqlite', 'type: sqlte').replace('source: shop\n', 'source: shopp\n'));
    const linted = await cli('lint', wrong);
    assert.equal(linted.code, 1);
    assert.equal(
      linted.stdout,
      `${wrong}:4:5  sources.shop.type is no connector; was sqlite meant?\n${wrong}:12:5  syncs.everything.source is no source of these files; was "shop" meant?\n`,
    );
    const unset = await cli('apply', path('a.yaml'));
    assert.equal(unset.code, 1);
    assert.match(unset.stderr, /a\.yaml:19:\d+ {2}alerts\.operations\.channel\.url refers to the file \S+slack\.txt, which does not exist/);
    writeFileSync(path('slack.txt'), 'https://hooks.example/secret-of-slack\n');
    const planned = await cli('plan', path('a.yaml'));
    assert.equal(planned.code, 8, planned.stderr);
    assert.match(planned.stdout, /^\+ source "shop"$/m);
    assert.match(planned.stdout, /→ Its streams are loaded in full by the first run\./);
    assert.match(planned.stderr, /4 to create, 0 to change, 0 to delete/);
    const applied = await cli('apply', path('a.yaml'));
    assert.equal(applied.code, 0, applied.stderr);
    assert.doesNotMatch(applied.stdout, /secret-of-slack/);
    const again = await cli('plan', path('a.yaml'));
    assert.deepEqual([again.code, again.stdout], [0, '']);
    assert.match((await cli('lint')).stderr, /The file is missing/);
    assert.match((await cli('lint', path('nowhere.yaml'))).stderr, /There is no file or folder/);
  });

  test('an export updates a file, and leaves all that is still right as it is written', async () => {
    const source = (await service.get('/api/v1/datasync/sources')).body.data.find(({ name }: { name: string }) => name === 'warehouse');
    await service.call('PUT', `/api/v1/datasync/sources/${source.id}`, { body: { config: { path: 'other.db' } } });
    const same = await cli('export', path('a.yaml'));
    assert.equal(same.code, 0, same.stderr);
    const text = readFileSync(path('a.yaml'), 'utf8');
    assert.match(text, /^# Our shop\.\n/);
    assert.match(text, /config: \{ path: shop\.db \} # the till/);
    assert.match(text, /- source: "\*" # all but what is told apart/);
    assert.match(text, /url: "\$\{file:slack\.txt\}"/);
    assert.match(text, /path: other\.db/);
    assert.match(text, /keys:\n {2}admin:/, 'what was not there is added');
    assert.equal((await cli('plan', path('a.yaml'))).code, 0);
    assert.match((await cli('export', path('a.yaml'))).stderr, /Nothing to write/);
    const whole = await cli('export', '--state', path('state.json'));
    assert.equal(whole.code, 0, whole.stderr);
    assert.match(whole.stderr, /OPERATIONS_URL {2}\(alerts\.operations\.channel\.url\)/);
    assert.doesNotMatch(whole.stdout, /secret-of-slack/);
    assert.equal(Object.keys(JSON.parse(readFileSync(path('state.json'), 'utf8')).state).length, 1);
  });

  test('SYNCLINE_CONFIG is applied at the start, and a start that cannot says where the fault is', async () => {
    const place = await createPlace(engine);
    try {
      const file = join(place.dataDir, 'c.yaml');
      mkdirSync(place.dataDir, { recursive: true });
      writeFileSync(file, 'keys:\n  ci:\n    scopes: [orders:reed]\n');
      const environment = { SYNCLINE_CONFIG: file };
      await assert.rejects(
        startProcess(place, { environment }),
        /c\.yaml:3:\d+ {2}keys\.ci\.scopes\[0\] must be one of .*; was orders:read meant\?/,
      );
      writeFileSync(file, 'keys:\n  ci:\n    scopes: [orders:read]\n');
      const started = await startProcess(place, { environment });
      try {
        const answer = await fetch(`${started.url}/api/v1/keys`, { headers: { authorization: `Bearer ${started.adminKey}` } });
        const { data } = (await answer.json()) as { data: { name: string; scopes: string[] }[] };
        assert.deepEqual(data.find(({ name }) => name === 'ci')?.scopes, ['orders:read']);
        assert.doesNotMatch(started.logs(), /slk_\w+_\w+.*ci/);
      } finally {
        await started.kill();
      }
    } finally {
      await place.remove();
    }
  });
});

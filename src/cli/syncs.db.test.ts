import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Ended, settingsOf, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';

onEitherEngine('syncline syncs, run and logs', (engine) => {
  let service: Service;
  let settings: Record<string, string>;
  const cli = (...args: string[]): Promise<Ended> => syncline(args, settings);
  const write = (lines: string): void => writeFileSync(join(service.place.dataDir, 'files/people.csv'), `id,name\n${lines}`);

  before(async () => {
    service = await startService(engine);
    settings = { ...settingsOf(service.place), SYNCLINE_URL: service.url };
    mkdirSync(join(service.place.dataDir, 'files'), { recursive: true });
    write('1,Ada\n2,Grace\n');
    await cli('sources', 'add', '--name', 'from', '--type', 'files', '--set', 'path=people.csv', '--no-check');
    await cli('sources', 'add', '--name', 'to', '--type', 'sqlite', '--set', 'path=people.db', '--no-check');
  });
  after(() => service.close());

  test('create prints the id alone; list and show tell what it is', async () => {
    const made = await cli(
      'syncs',
      'create',
      '--name',
      'people',
      '--source',
      'from',
      '--target',
      'to',
      '--stream',
      'people=persons',
      '--mode',
      'mirror',
      '--key',
      'id',
    );
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^syn_[0-9a-z]{26}\n$/);
    assert.match(made.stderr, /`syncline run people` starts it/);
    assert.match((await cli('syncs', 'list')).stdout, /syn_\w+ +people +pending +manual/);
    assert.match((await cli('syncs', 'show', 'people')).stdout, /FROM +from \(files\)[^]*people +persons +mirror +id/);
    assert.match((await cli('syncs', 'show', 'people')).stdout, /NEXT RUN +when a person starts it/);
    await cli('sources', 'add', '--name', 'shop', '--type', 'hub', '--no-check');
    await cli('syncs', 'create', '--name', 'orders', '--source', 'shop', '--target', 'to', '--stream', 'orders', '--on-change');
    assert.match((await cli('syncs', 'show', 'orders')).stdout, /SCHEDULE +on change\nNEXT RUN +when something changes/);
    await cli('syncs', 'create', '--name', 'then', '--source', 'shop', '--target', 'to', '--stream', 'products', '--after', 'orders');
    assert.match((await cli('syncs', 'show', 'then')).stdout, /SCHEDULE +after orders\nNEXT RUN +when orders has run/);
    assert.match((await cli('syncs', 'list')).stdout, /syn_\w+ +then +\w+ +after orders/);
    const both = ['--source', 'shop', '--target', 'to', '--stream', 'products', '--after', 'orders', '--every', '1h'];
    assert.match((await cli('syncs', 'create', '--name', 'both', ...both)).stderr, /--after exclude each other/);
    await cli('syncs', 'pause', 'orders');
    assert.match((await cli('syncs', 'show', 'orders')).stdout, /NEXT RUN +when it is resumed/);
    const again = await cli(
      'syncs',
      'create',
      '--name',
      'again',
      '--source',
      'from',
      '--target',
      'to',
      '--stream',
      'people=persons',
      '--key',
      'id',
    );
    assert.match(again.stdout, /^syn_\w+\n$/);
    assert.match(again.stderr, /"people" and "again" both write "persons": what one writes the other may overwrite/);
    await cli('syncs', 'delete', 'again');
  });

  test('run shows what was done, and its exit code tells a script', async () => {
    const preview = await cli('run', 'people', '--preview');
    assert.match(preview.stderr, /people: 2 to insert, 0 to update, 0 to delete, 0 unchanged\./);
    const first = await cli('run', 'people');
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /people +█+ 100 % +succeeded: 2 inserted\n[^]*run_\w+: succeeded after [\d.]+ s/);
    write('1,Ada\n2,Grace\n3\n');
    const partial = await cli('run', 'people');
    assert.equal(partial.code, 3);
    assert.match(partial.stderr, /Rejected: 1 row\. `syncline rejects list run_\w+` shows/);
    // A file without rows is taken for what it was, and not for one of other types.
    write('');
    const asked = await cli('run', 'people');
    assert.equal(asked.code, 4);
    assert.match(asked.stderr, /has no rows any more; the last time it had[^]*`syncline runs approve run_\w+` lets it go on/);
    assert.match((await cli('run', 'people')).stderr, /Approve or cancel it first/);
    const { runs } = { runs: (await service.get('/api/v1/datasync/runs?limit=1')).body.data };
    await service.post(`/api/v1/datasync/runs/${runs[0].id}/cancel`);
  });

  test('a paused synchronization says so, and goes on when resumed', async () => {
    assert.match((await cli('syncs', 'pause', 'people')).stderr, /Paused "people"/);
    const refused = await cli('run', 'people');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /paused/);
    assert.match((await cli('syncs', 'resume', 'people')).stderr, /Resumed "people"/);
    write('1,Ada\n2,Grace\n');
    const json = await cli('run', 'people', '--json');
    assert.equal((JSON.parse(json.stdout) as { status: string }).status, 'succeeded');
  });

  test('verify tells whether both ends are equal, by its exit code too, and repairs what differs', async () => {
    const equal = await cli('verify', 'people');
    assert.equal(equal.code, 0, equal.stderr);
    assert.match(equal.stderr, /people: equal; 2 rows, digest [0-9a-f]{16}\./);
    write('1,Ada\n2,Grace H.\n');
    const differs = await cli('verify', 'people');
    assert.equal(differs.code, 5, differs.stderr);
    assert.match(differs.stderr, /people: differs: 0 missing, 0 extra, 1 different; 2 rows/);
    assert.match(
      (await cli('verify', 'people', '--repair-preview')).stderr,
      /people: 0 to insert, 1 to update, 0 to delete, 1 unchanged\./,
    );
    const repaired = await cli('verify', 'people', '--repair', '--json');
    assert.equal(repaired.code, 0, repaired.stderr);
    assert.equal((JSON.parse(repaired.stdout) as { totals: { updated: number } }).totals.updated, 1);
    write('1,Ada\n2,Grace\n');
    assert.equal((await cli('run', 'people')).code, 0);
    assert.match((await cli('verify', 'people', '--repair', '--repair-preview')).stderr, /exclude each other/);
  });

  test('logs tell the story, and with -f go on as it is told', async () => {
    const { stdout } = await cli('logs', '--sync', 'people', '--level', 'info');
    assert.match(stdout, /INFO +The run begins[^]*INFO +The run succeeded: 2 rows read/);
    const program = fileURLToPath(new URL('../../bin/syncline.js', import.meta.url));
    const follower = spawn(process.execPath, [program, 'logs', '-f', '--sync', 'people', '--limit', '1'], {
      env: { PATH: process.env['PATH'], ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let heard = '';
    follower.stdout.on('data', (piece: Buffer) => {
      heard += String(piece);
    });
    await until('it shows what was there', () => heard.includes('The run'));
    heard = '';
    await cli('run', 'people');
    await until('it hears of the next run', () => /The run begins[^]*The run succeeded/.test(heard));
    const ended = new Promise<number | null>((resolve) => follower.once('exit', resolve));
    follower.kill('SIGINT');
    assert.equal(await ended, 0);
  });

  test('mistakes are told in words', async () => {
    assert.match((await cli('syncs', 'create', '--name', 'x', '--source', 'from', '--target', 'to')).stderr, /--stream is missing/);
    assert.match(
      (await cli('syncs', 'create', '--name', 'x', '--source', 'no', '--target', 'to', '--stream', 'a')).stderr,
      /There is no source "no"/,
    );
    const typo = await cli('syncs', 'create', '--name', 'x', '--source', 'from', '--target', 'to', '--stream', 'peple');
    assert.match(typo.stderr, /streams\[0\]\.source .*people/);
    const both = ['--every', '5m', '--cron', '* * * * *'];
    assert.match(
      (await cli('syncs', 'create', '--name', 'x', '--source', 'from', '--target', 'to', '--stream', 'a', ...both)).stderr,
      /exclude each other/,
    );
    assert.match((await cli('run', 'nobody')).stderr, /There is no synchronization "nobody"/);
    assert.match((await cli('run', 'people', '--full', '--preview')).stderr, /exclude each other/);
    assert.match((await cli('logs', '--since', 'yesterday')).stderr, /--since takes a span/);
  });
});

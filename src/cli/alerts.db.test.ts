import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startApi, type ApiServer } from '../../test/support/api-server.ts';
import { type Ended, settingsOf, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';

onEitherEngine('syncline alerts', (engine) => {
  let service: Service;
  let settings: Record<string, string>;
  let api: ApiServer;
  before(async () => {
    service = await startService(engine);
    settings = { ...settingsOf(service.place), SYNCLINE_URL: service.url };
    api = await startApi((_, response) => void response.end('ok'));
  });
  after(async () => {
    await service.close();
    await api.close();
  });
  const alerts = (...args: string[]): Promise<Ended> => syncline(['alerts', ...args], settings);

  test('where there is nothing yet, it says what to do', async () => {
    assert.match((await alerts('list')).stderr, /Nobody is told yet\. `syncline alerts add --name .*` adds an alert\./);
    assert.match((await alerts('incidents')).stderr, /Nothing is wrong\. `--all` also shows what is over\./);
    assert.match((await alerts('incidents', '--all')).stderr, /Nothing was wrong/);
    await alerts('add', '--name', 'silent', '--slack', api.url, '--rule', 'late');
    assert.match((await alerts('messages', 'silent')).stderr, /Nothing was sent yet\. `syncline alerts test silent`/);
    await alerts('delete', 'silent');
  });

  test('one is added, tried, listed and deleted; incidents and messages are shown', async () => {
    const added = await alerts(
      'add',
      '--name',
      'ops',
      '--slack',
      api.url,
      '--rule',
      'failing=3',
      '--rule',
      'late',
      '--remind',
      '4h',
      '--quiet',
      '22:00-07:00',
      '--timezone',
      'Europe/Berlin',
    );
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /^alt_[0-9a-z]{26}\n$/);
    const tried = await alerts('test', 'ops');
    assert.deepEqual([tried.code, tried.stderr.slice(0, 15)], [0, 'It got through,'], tried.stderr);
    assert.equal(api.received.length, 1);
    assert.match((await alerts('list')).stdout, /ops +slack +failing,late +all +unused +0/);
    assert.match((await alerts('incidents', '--all')).stdout, /^ID +RULE +WHAT/);
    assert.match((await alerts('messages', 'ops')).stdout, /^TIME +KIND/);
    const signed = await alerts('add', '--name', 'signed', '--webhook', 'http://127.0.0.1:9/', '--rule', 'needs_approval');
    assert.match(signed.stderr, /signed with whsec_/);
    const refused = await alerts('test', 'signed');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /It did not get through\. Nothing answers/);
    assert.match((await alerts('delete', 'signed')).stderr, /^Deleted "signed"/);
  });

  test('mistakes are told in words', async () => {
    assert.match((await alerts('add', '--name', 'x', '--rule', 'late')).stderr, /Say how it is told/);
    assert.match((await alerts('add', '--name', 'x', '--slack', 'http://h')).stderr, /--rule is missing/);
    assert.match((await alerts('add', '--name', 'x', '--slack', 'http://h', '--rule', 'late=3')).stderr, /takes no number/);
    assert.match((await alerts('add', '--name', 'x', '--slack', 'http://h', '--rule', 'lag')).stderr, /--rule lag=3600/);
    assert.match((await alerts('add', '--name', 'x', '--email', 'a@b.c', '--rule', 'late')).stderr, /--smtp is missing/);
    assert.match((await alerts('add', '--name', 'x', '--slack', 'http://h', '--rule', 'late', '--quiet', 'night')).stderr, /22:00-07:00/);
    assert.match((await alerts('add', '--name', 'x', '--slack', 'http://h', '--rule', 'differs=3')).stderr, /takes no number/);
    assert.match((await alerts('test', 'nobody')).stderr, /There is no alert "nobody"/);
  });
});

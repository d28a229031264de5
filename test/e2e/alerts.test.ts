import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { runStatement } from '../support/commands.ts';
import { onEitherEngine } from '../support/databases.ts';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { startSmtp, type SmtpServer } from '../support/smtp-server.ts';
import { until } from '../support/until.ts';

const PATH = '/api/v1/alerts';

function change(path: string, statement: string): void {
  const db = new DatabaseSync(path);
  db.exec(statement);
  db.close();
}

onEitherEngine('alerts', (engine) => {
  let service: Service;
  let smtp: SmtpServer;
  before(async () => {
    smtp = await startSmtp();
    service = await startService(engine, { environment: { SYNCLINE_PUBLIC_URL: 'https://sync.example.com/' } });
  });
  after(async () => {
    await service.close();
    await smtp.close();
  });

  const mail = (more: object = {}) => ({
    name: 'operations',
    channel: { type: 'email', smtp_url: `smtp://127.0.0.1:${smtp.port}`, from: 'Syncline <sync@example.com>', to: ['ops@example.com'] },
    rules: [{ type: 'failing' }],
    ...more,
  });
  const add = async (body: object): Promise<{ id: string; secret: string | null }> => {
    const reply = await service.post(PATH, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const remove = (id: string) => service.call('DELETE', `${PATH}/${id}`);

  const fieldsOf = async (body: object): Promise<string[]> => {
    const reply = await service.post(PATH, body);
    assert.equal(reply.status, 400, reply.text);
    return reply.body.error.details.errors.map(({ field }: { field: string }) => field);
  };

  test('no key 401, wrong scope 403, bad body 400 that names the field, unknown 404', async () => {
    const { id } = await add(mail());
    const stranger = await service.keyWith('orders:read');
    for (const [method, path] of [
      ['GET', PATH],
      ['GET', `${PATH}/${id}`],
      ['GET', `${PATH}/${id}/messages`],
      ['POST', `${PATH}/${id}/test`],
      ['GET', '/api/v1/incidents'],
    ] as const) {
      assert.equal((await service.call(method, path, { key: null })).status, 401, path);
      assert.equal((await service.call(method, path, { key: stranger })).status, 403, path);
    }
    for (const path of ['', '/messages']) assert.equal((await service.get(`${PATH}/alt_01kfa0v2m3f8rb4v3k7m2t9xqe${path}`)).status, 404);
    assert.deepEqual(await fieldsOf({}), ['name', 'channel', 'rules']);
    assert.deepEqual(await fieldsOf(mail({ channel: { type: 'pigeon' } })), ['channel.type']);
    assert.deepEqual(await fieldsOf(mail({ rules: [{ type: 'unheard_of' }, { type: 'lag', seconds: 1 }] })), ['rules[0].type']);
    assert.deepEqual(await fieldsOf(mail({ rules: [{ type: 'lag' }] })), ['rules[0].seconds']);
    assert.deepEqual(await fieldsOf(mail({ sync_ids: ['syn_none'] })), ['sync_ids[0]']);
    assert.deepEqual(await fieldsOf(mail({ quiet_hours: { from: '25:00', to: '07:00' } })), ['quiet_hours.from']);
    assert.deepEqual(await fieldsOf(mail({ channel: { type: 'slack', url: '********' } })), ['channel.url']);
    await remove(id);
    assert.equal((await remove(id)).status, 404);
  });

  test('secrets are shown to nobody, kept by their mask, and never lent to another kind of channel', async () => {
    const { id, secret } = await add(mail({ channel: { type: 'webhook', url: 'http://127.0.0.1:9/hunter2' } }));
    assert.match(secret ?? '', /^whsec_/);
    const shown = (await service.get(`${PATH}/${id}`)).body.data;
    assert.deepEqual(shown.channel, { type: 'webhook', url: '********', secret: '********' });
    const change = (body: object) => service.call('PUT', `${PATH}/${id}`, { body });
    assert.equal((await change({ channel: shown.channel, name: 'kept' })).body.data.secret, null);
    const lent = await change({ channel: { type: 'slack', url: '********' } });
    assert.deepEqual([lent.status, lent.body.error.details.field], [400, 'channel.url']);
    const events = (await service.get('/api/v1/events?limit=1000')).text;
    const rows = JSON.stringify(await service.app.db.read.all(sql`select * from alerts`));
    for (const text of [events, rows, (await service.get('/api/v1/audit')).text])
      assert.ok(!text.includes('hunter2') && !text.includes(secret ?? '?'));
    await remove(id);
  });

  test('an alert is no way around a scope', async () => {
    const [hooks, syncs] = [await service.keyWith('webhooks'), await service.keyWith('webhooks', 'datasync:read')];
    const reasonOf = async (rule: object, key: string): Promise<string | undefined> =>
      (await service.post(PATH, mail({ rules: [rule] }), { key })).body.error?.details.reason;
    assert.equal(await reasonOf({ type: 'failing' }, hooks), 'missing scope datasync:read');
    assert.equal(await reasonOf({ type: 'disk_full' }, syncs), 'missing scope admin');
    assert.equal(await reasonOf({ type: 'key_expires' }, syncs), 'missing scope admin');
    assert.equal(await reasonOf({ type: 'endpoint_paused' }, hooks), undefined);
    const { id } = await add(mail());
    for (const [method, path, body] of [
      ['PUT', '', { channel: { type: 'slack', url: 'http://evil.example' } }],
      ['POST', '/test', undefined],
      ['GET', '/messages', undefined],
    ] as const)
      assert.equal((await service.call(method, `${PATH}/${id}${path}`, { key: hooks, ...(body && { body }) })).status, 403, path);
    assert.equal((await service.call('PUT', `${PATH}/${id}`, { key: hooks, body: { rules: [{ type: 'endpoint_paused' }] } })).status, 403);
    for (const { id: one } of (await service.get(PATH)).body.data)
      assert.equal((await service.call('DELETE', `${PATH}/${one}`, { key: hooks })).status, 200);
  });

  test('a test says in words what is wrong, and arrives when nothing is', async () => {
    const { id } = await add(mail({ quiet_hours: { from: '00:00', to: '23:59' } }));
    const before = smtp.mails.length;
    assert.partialDeepStrictEqual((await service.post(`${PATH}/${id}/test`)).body.data, { delivered: true, error: null });
    assert.match(smtp.mails[before]?.raw ?? '', /This is a test of the alert "operations"/);
    await service.call('PUT', `${PATH}/${id}`, { body: { channel: { type: 'slack', url: 'http://169.254.169.254/' } } });
    const { delivered, error } = (await service.post(`${PATH}/${id}/test`)).body.data;
    assert.equal(delivered, false);
    assert.match(error, /may not connect to 169\.254\.169\.254/);
    await remove(id);
  });

  test('an incident is seen by those who may hear of what it is about', async () => {
    const expires_at = new Date(Date.now() + 2 * 86_400_000).toISOString();
    const { id: key } = (await service.post('/api/v1/keys', { name: 'ends soon', scopes: ['orders:read'], expires_at })).body.data;
    await service.app.db.write(runStatement, `update keys set created_at = '2020-01-01T00:00:00.000Z' where id = '${key}'`);
    const rulesFor = async (as?: string): Promise<string[]> =>
      (await service.get(`/api/v1/incidents?object_id=${key}`, as === undefined ? {} : { key: as })).body.data.map(
        ({ rule }: { rule: string }) => rule,
      );
    await until('the incident', async () => (await rulesFor()).length > 0);
    assert.deepEqual(await rulesFor(), ['key_expires']);
    const reader = await service.keyWith('datasync:read', 'webhooks');
    assert.deepEqual(await rulesFor(reader), []);
    assert.ok(!(await service.get('/api/v1/events?limit=1000', { key: reader })).text.includes('ends soon'));
    assert.ok((await service.get('/api/v1/events?limit=1000')).text.includes('"incident.opened"'));
    await service.call('DELETE', `/api/v1/keys/${key}`);
    await until('its end', async () => (await rulesFor()).length === 0);
    const metrics = await service.get('/api/v1/datasync/metrics', { headers: { accept: 'text/plain' } });
    assert.match(metrics.text, /syncline_incidents_open\{rule="key_expires"\} 0/);
  });

  test('one message through 20 failing runs, and one when a run succeeds again', async () => {
    const path = sqliteFile(service.place, 'pump.db');
    const [from, to] = [await addSource(service, 'sqlite', { path }), await addSource(service, 'fake', { name: `to ${Math.random()}` })];
    change(path, 'create table t (id integer primary key)');
    const { id: sync } = await ask(service, 'POST', '/sync', {
      name: 'pump <!channel> to tank',
      source_id: from,
      target_id: to,
      streams: [{ source: 't' }],
      schedule: { type: 'manual' },
    });
    change(path, 'drop table t');
    const alert = await add(mail());
    const before = smtp.mails.length;
    for (let run = 0; run < 20; run++) {
      await service.post(`/api/v1/datasync/sync/${sync}/resume`);
      assert.equal((await runToEnd(service, sync)).status, 'failed');
    }
    const told = await until('the mail', () => smtp.mails[before]);
    assert.match(told.headers.get('subject') ?? '', /failing/);
    change(path, 'create table t (id integer primary key)');
    await service.post(`/api/v1/datasync/sync/${sync}/resume`);
    assert.equal((await runToEnd(service, sync)).status, 'succeeded');
    await until('the second mail', () => smtp.mails.length === before + 2);
    assert.match(smtp.mails.at(-1)?.headers.get('subject') ?? '', /over/);
    assert.deepEqual(smtp.faults, []);
    await remove(alert.id);
  });

  test('a field that is new, and a run that does not come, are told', async () => {
    const path = sqliteFile(service.place, 'changing.db');
    change(path, 'create table t (id integer primary key)');
    const [from, to] = [
      await addSource(service, 'sqlite', { path }),
      await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'copied.db') }),
    ];
    const body = { name: 'changing', source_id: from, target_id: to, streams: [{ source: 't' }], schedule: { type: 'manual' } };
    const bad = await service.post('/api/v1/datasync/sync', { ...body, expect_every: 'often' });
    assert.equal(bad.body.error.details.field, 'expect_every');
    const { id: sync, expect_every } = await ask(service, 'POST', '/sync', { ...body, expect_every: '2s' });
    assert.equal(expect_every, '2s');
    await runToEnd(service, sync);
    change(path, 'alter table t add column note text');
    const run = await runToEnd(service, sync);
    assert.match(run.streams[0].schema_changes[0], /The field "note" \(text\) is new/);
    const rules = async (): Promise<string[]> =>
      (await service.get(`/api/v1/incidents?object_id=${sync}`)).body.data.map(({ rule }: { rule: string }) => rule).sort();
    await until('both incidents', async () => (await rules()).join() === 'late,schema_changed');
    await ask(service, 'PUT', `/sync/${sync}`, { expect_every: null });
    await runToEnd(service, sync);
    await until('their end', async () => (await rules()).length === 0);
  });
});

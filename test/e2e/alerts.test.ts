import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
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

onBothEngines('alerts', (engine) => {
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
    const told = await until('the mail', () => smtp.mails[before], 20_000);
    assert.match(told.headers.get('subject') ?? '', /failing/);
    change(path, 'create table t (id integer primary key)');
    await service.post(`/api/v1/datasync/sync/${sync}/resume`);
    assert.equal((await runToEnd(service, sync)).status, 'succeeded');
    await until('the second mail', () => smtp.mails.length === before + 2, 20_000);
    assert.match(smtp.mails.at(-1)?.headers.get('subject') ?? '', /over/);
    assert.deepEqual(smtp.faults, []);
    await remove(alert.id);
  });
});

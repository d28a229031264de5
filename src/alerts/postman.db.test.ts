import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { runStatement } from '../../test/support/commands.ts';
import { onBothEngines, openTestDatabase } from '../../test/support/databases.ts';
import { until } from '../../test/support/until.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { actorCalled } from '../http/caller.ts';
import { takeDuty } from '../jobs/duty.ts';
import { isoTime } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { createLog } from '../lib/log.ts';
import { parseKeyring } from '../lib/secrets.ts';
import { DUTY } from './apply.ts';
import type { Sender, Sent } from './channels/send.ts';
import { createAlert } from './commands.ts';
import { createPostman, type Postman } from './postman.ts';
import { sealChannel } from './secrets.ts';

const keyring = parseKeyring(Buffer.alloc(32, 'k').toString('base64'));

onBothEngines('messages of alerts where nothing can be written', (engine) => {
  let db: Awaited<ReturnType<typeof openTestDatabase>>;
  before(async () => {
    db = await openTestDatabase(engine);
    if (engine === 'postgres')
      await run(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`);
  });
  after(() => db.close());
  beforeEach(async () => {
    for (const table of ['alerts', 'incidents', 'duties']) await run(`delete from ${table}`);
  });

  const run = async (statement: string): Promise<void> => void (await db.write(runStatement, statement));
  const refuseWrites = (): Promise<void> =>
    run(
      engine === 'sqlite'
        ? `create trigger refusing before update on alert_messages begin select raise(abort, 'no room'); end`
        : 'create trigger refusing before update on alert_messages for each row execute function refuse()',
    );
  const allowWrites = (): Promise<void> => run(`drop trigger refusing${engine === 'sqlite' ? '' : ' on alert_messages'}`);
  const takeToken = async (node: string): Promise<number> => {
    await run('delete from duties');
    return (await db.write(takeDuty, { now: Date.now(), name: DUTY, node, lease: 600_000, token: null })) ?? 0;
  };
  /** An alert that has one message to be told. */
  const addDue = async (): Promise<string> => {
    const { id } = newId('alt', Date.now());
    const { shown, secrets } = sealChannel(keyring, id, { type: 'slack', url: 'http://127.0.0.1:9/' }, () => ({}));
    const rest = { sync_ids: null, remind_every: null, quiet_hours: null, scopes: '["admin"]', share: null, most: 0 };
    const about = { actor: actorCalled('test'), now: Date.now(), id, name: 'an alert', channel_type: 'slack', channel: shown, secrets };
    await db.write(createAlert, { ...about, rules: '[{"type":"endpoint_paused"}]', ...rest });
    const [at, incident, message] = [isoTime(Date.now() - 1000), newId('inc', Date.now()).id, newId('msg', Date.now()).id];
    await run(`insert into incidents (id, rule, object_id, object_name, opened_at, summary, details)
      values ('${incident}', 'endpoint_paused', '${id}', 'shop', '${at}', 'It failed.', '{}')`);
    await run(`insert into alert_messages (id, alert_id, incident_id, kind, status, attempts, created_at, next_at)
      values ('${message}', '${id}', '${incident}', 'opened', 'waiting', 0, '${at}', '${at}')`);
    return message;
  };
  const stateOf = async (id: string) =>
    (
      await db.read.all<{ status: string; attempts: number; error: string | null }>(
        sql`select status, attempts, error from alert_messages where id = ${id}`,
      )
    )[0];
  /** A postman with a pulse that asks it as eagerly as it wants to be asked, and counts. */
  const employ = (token: number, answer: Sent, unrecorded?: Parameters<typeof createPostman>[0]['unrecorded']) => {
    const sent: string[] = [];
    const sender: Sender = {
      send: async (_, { id }) => {
        sent.push(id);
        return answer;
      },
    };
    let [woken, failed] = [0, 0];
    const write: Database['write'] = async (...asked) =>
      db.write(...asked).catch((error: unknown) => {
        failed++;
        throw error;
      });
    const counting = new Proxy<Database>(db, { get: (of, name) => (name === 'write' ? write : Reflect.get(of, name, of)) });
    const postman: Postman = createPostman({
      db: counting,
      clock: Date.now,
      log: createLog('silent'),
      keyring,
      sender,
      token,
      rest: 20,
      unrecorded: unrecorded ?? new Map(),
    });
    let asked = Promise.resolve();
    postman.onDone(() => {
      woken++;
      asked = postman.deliver();
    });
    const end = async (): Promise<void> => {
      await asked;
      await postman.close();
    };
    return { postman, sent, woken: () => woken, failed: () => failed, end };
  };

  for (const [how, answer, end] of [
    ['arrived', { delivered: true, remark: null }, { status: 'sent', attempts: 1, error: null }],
    ['was refused', { delivered: false, error: 'No.', retryAfter: 0 }, { status: 'waiting', attempts: 1, error: 'No.' }],
  ] as const)
    test(`a message that ${how} is not sent again before that is written down`, async () => {
      const message = await addDue();
      const { postman, sent, woken, failed, end: endWork } = employ(await takeToken('n'), answer);
      await refuseWrites();
      // Asked all the time, as hints and looks do.
      await until('several tries to write it down', async () => {
        await postman.deliver();
        return failed() >= 5;
      });
      assert.deepEqual(sent, [message]);
      assert.equal(woken(), 0, 'nobody is woken by a write that failed');
      assert.equal((await stateOf(message))?.status, 'waiting');
      await allowWrites();
      await until('it to be written down', async () => {
        await postman.deliver();
        return (await stateOf(message))?.attempts === 1;
      });
      assert.deepEqual({ ...(await stateOf(message)) }, end);
      assert.deepEqual(sent, [message]);
      await endWork();
    });

  test('nor when the duty was lost meanwhile, and has come back', async () => {
    const message = await addDue();
    const unrecorded = new Map();
    const before = employ(await takeToken('n'), { delivered: true, remark: null }, unrecorded);
    await refuseWrites();
    await before.postman.deliver();
    await until('the message', () => before.sent.length === 1);
    await before.end();
    await allowWrites();
    const later = employ(await takeToken('n'), { delivered: true, remark: null }, unrecorded);
    await later.postman.deliver();
    await until('it to be written down', async () => (await stateOf(message))?.status === 'sent');
    // The row is there before the postman hears that it is.
    await until('the postman to know of it', () => unrecorded.size === 0);
    await later.end();
    assert.deepEqual(later.sent, []);
  });
});

import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, beforeEach, test } from 'node:test';
import { runStatement } from '../../test/support/commands.ts';
import { onBothEngines, openTestDatabase } from '../../test/support/databases.ts';
import { addSync, enqueueForEver } from '../../test/support/sync-fixture.ts';
import { sql } from '../db/sql.ts';
import { actorCalled } from '../http/caller.ts';
import { takeDuty } from '../jobs/duty.ts';
import { isoTime } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { parseKeyring } from '../lib/secrets.ts';
import { type Rule, RULES } from './alert.ts';
import { applyChanges, DUTY, forgetIncidents } from './apply.ts';
import { createAlert, deleteAlert, updateAlert } from './commands.ts';
import { evaluate } from './evaluator.ts';
import { dueAlerts, dueMessage, recordDelivered, recordUndelivered } from './outbox.ts';
import { findAlert, listMessages } from './queries.ts';
import { sealChannel } from './secrets.ts';

const keyring = parseKeyring(Buffer.alloc(32, 'k').toString('base64'));
const actor = actorCalled('test');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

onBothEngines('what is wrong', (engine) => {
  let db: Awaited<ReturnType<typeof openTestDatabase>>;
  let token: number;
  before(async () => {
    db = await openTestDatabase(engine);
    token = (await db.write(takeDuty, { now: Date.now(), name: DUTY, node: 'n', lease: 600_000, token: null })) ?? 0;
  });
  after(() => db.close());
  beforeEach(async () => {
    for (const table of [
      'alert_messages',
      'alert_incidents',
      'alerts',
      'incidents',
      'rejects',
      'runs',
      'sync_state',
      'syncs',
      'webhooks',
      'keys',
      'nodes',
    ])
      await run(`delete from ${table}`);
  });

  const run = async (statement: string): Promise<void> => void (await db.write(runStatement, statement));
  const look = (): Promise<string> => evaluate(db, { token, now: Date.now(), dataDir: db.place.dataDir });
  const incidents = (): Promise<
    { id: string; rule: string; object_id: string; summary: string; ending: string | null; closed_at: string | null }[]
  > => db.read.all(sql`select id, rule, object_id, summary, ending, closed_at from incidents where rule <> 'disk_full' order by id`);
  const messages = (): Promise<
    { id: string; kind: string; status: string; alert_id: string; next_at: string | null; attempts: number; error: string | null }[]
  > => db.read.all(sql`select id, kind, status, alert_id, next_at, attempts, error from alert_messages order by id`);
  const add = async (rules: Rule[], more: { sync_ids?: string[]; remind_every?: string; quiet_hours?: object } = {}): Promise<string> => {
    const { id } = newId('alt', Date.now());
    const { shown, secrets } = sealChannel(keyring, id, { type: 'slack', url: 'http://127.0.0.1:9/' }, () => ({}));
    const { sync_ids, remind_every, quiet_hours } = more;
    await db.write(createAlert, {
      actor,
      now: Date.now(),
      id,
      name: `an alert ${id}`,
      channel_type: 'slack',
      channel: shown,
      secrets,
      rules: JSON.stringify(rules),
      sync_ids: sync_ids ? JSON.stringify(sync_ids) : null,
      remind_every: remind_every ?? null,
      quiet_hours: quiet_hours ? JSON.stringify(quiet_hours) : null,
      scopes: '["admin"]',
      share: null,
      most: 0,
    });
    return id;
  };
  /** A run that ended, so many milliseconds ago. */
  const ended = async (syncId: string, status: string, ago = 0, more: { error?: object; shop?: string } = {}): Promise<string> => {
    const { id } = await db.write(enqueueForEver, syncId);
    const at = isoTime(Date.now() - ago);
    const error = more.error ? `'${JSON.stringify(more.error)}'` : 'null';
    await run(
      `update runs set status = '${status}', started_at = '${at}', finished_at = '${at}', error = ${error}, shop = '${more.shop ?? ''}' where id = '${id}'`,
    );
    if (status === 'failed') await run(`update sync_state set failures = failures + 1 where sync_id = '${syncId}'`);
    if (status === 'succeeded') await run(`update sync_state set failures = 0 where sync_id = '${syncId}'`);
    return id;
  };
  const CLOSED = { kind: 'transient', code: 'PORT_CLOSED', message: 'Nothing answers at h:1.', hint: 'Check the port.' };
  const QUOTED = { kind: 'data', code: 'DATA', message: 'The row of Ada Lovelace is wrong.', hint: null };

  test('failing: from the first failed run to one that succeeds, through pauses, resumes and cancelled runs', async () => {
    const sync = await addSync(db);
    await look();
    assert.deepEqual(await incidents(), []);
    await ended(sync, 'failed', 0, { error: CLOSED });
    await look();
    const [first] = await incidents();
    assert.partialDeepStrictEqual(first, {
      rule: 'failing',
      object_id: sync,
      summary: 'The last run failed: Nothing answers at h:1. Check the port.',
    });
    for (let more = 0; more < 9; more++) await ended(sync, 'failed', 0, { error: CLOSED });
    await run(`update sync_state set status = 'paused', pause_reason = 'Paused after 10 failed runs.' where sync_id = '${sync}'`);
    await look();
    await run(`update sync_state set status = 'active', pause_reason = null, failures = 0 where sync_id = '${sync}'`);
    await look();
    await ended(sync, 'cancelled');
    await look();
    assert.deepEqual(
      (await incidents()).map(({ closed_at }) => closed_at),
      [null],
      'nothing has succeeded yet',
    );
    await ended(sync, 'succeeded');
    await look();
    assert.partialDeepStrictEqual((await incidents())[0], { ending: 'A run has succeeded again.' });
    assert.notEqual((await incidents())[0]?.closed_at, null);
    await look();
    assert.equal((await incidents()).length, 1);
  });

  test('a message keeps the words of its moment, whatever has become of the incident when it is sent or looked at', async () => {
    const sync = await addSync(db);
    const id = await add([{ type: 'failing', runs: 1 }]);
    await ended(sync, 'failed', 0, { error: CLOSED });
    await look();
    const [{ summary: first } = { summary: '' }] = await incidents();
    for (let more = 0; more < 2; more++) await ended(sync, 'failed', 0, { error: QUOTED });
    await run(`update syncs set name = 'another name' where id = '${sync}'`);
    await look();
    assert.notEqual((await incidents())[0]?.summary, first);
    const due = await dueMessage(db.read, isoTime(Date.now()), id);
    assert.deepEqual([due?.summary, JSON.parse(due?.details ?? '{}').failures], [first, 1]);
    assert.notEqual(due?.object_name, 'another name');
    const wish = { alertId: id, status: undefined, rules: ['failing'] as const };
    const { rows } = await listMessages(db.read, wish, { limit: 9, offset: 0, after: undefined });
    assert.equal(rows[0]?.summary, first);
    // Those of earlier versions have no words of their own.
    await run(`update alert_messages set summary = null, object_name = null, details = null`);
    assert.notEqual((await dueMessage(db.read, isoTime(Date.now()), id))?.summary, first);
  });

  test('what may quote rows of the shop is in no incident', async () => {
    const [shop, plain] = [await addSync(db), await addSync(db)];
    await ended(shop, 'failed', 0, { error: QUOTED, shop: 'orders' });
    await ended(plain, 'failed', 0, { error: QUOTED });
    await look();
    const said = new Map((await incidents()).map(({ object_id, summary }) => [object_id, summary]));
    assert.ok(!said.get(shop)?.includes('Lovelace') && said.get(shop)?.includes('orders:read'));
    assert.ok(said.get(plain)?.includes('Lovelace'));
  });

  test('each of the other rules begins and ends', async () => {
    const sync = await addSync(db);
    const { id: waiting } = await db.write(enqueueForEver, sync);
    await run(`update runs set status = 'needs_approval' where id = '${waiting}'`);
    const reject = (
      n: number,
    ): string => `insert into rejects (id, sync_id, stream, target, identity, first_run_id, last_run_id, row, reason, unreadable, created_at, updated_at)
      values ('rej_${n}', '${sync}', 's', 't', '${n}', 'r', 'r', '{}', 'no', 0, 'x', 'x')`;
    await run(reject(1));
    await run(reject(2));
    await run(
      `update sync_state set schema_notices = '["orders: The field \\"a\\" is new."]', schema_noticed_at = '2026-11-16T00:00:00.000Z' where sync_id = '${sync}'`,
    );
    await run(`update syncs set expect_ms = 60000 where id = '${sync}'`);
    await run(`insert into webhooks (id, name, url, types, payload, signature, secrets, headers, max_in_flight, scopes, version, created_at, updated_at)
      values ('whk_1', 'shop', 'http://h', '[]', 'full', 'symmetric', '[]', '{}', 8, '[]', 1, 'x', 'x')`);
    await run(
      `insert into webhook_state (webhook_id, status, status_at, reason, position, failures) values ('whk_1', 'paused', '2026-11-16T00:00:00.000Z', 'It failed for 5 days.', 0, 9)`,
    );
    const key = (id: string, life: number): string => `insert into keys (id, name, scopes, created_at, expires_at)
      values ('${id}', 'web shop ${id}', '[]', '${isoTime(Date.now() + 5 * DAY - life * DAY)}', '${isoTime(Date.now() + 5 * DAY)}')`;
    await run(key('key_long', 365));
    await run(key('key_short', 7));
    await look();
    assert.deepEqual((await incidents()).map(({ rule }) => rule).sort(), [
      'endpoint_paused',
      'key_expires',
      'late',
      'needs_approval',
      'rejects',
      'schema_changed',
    ]);
    assert.match((await incidents()).find(({ rule }) => rule === 'rejects')?.summary ?? '', /^2 rows are rejected/);
    await run(`update webhook_state set reason = 'It was paused by hand.'`);
    await run(`update keys set revoked_at = 'x' where id = 'key_long'`);
    await run('delete from rejects');
    await run(`update sync_state set schema_notices = null, status = 'paused' where sync_id = '${sync}'`);
    await run(`update runs set status = 'cancelled', finished_at = 'x' where id = '${waiting}'`);
    await look();
    const endings = new Map((await incidents()).map(({ rule, ending }) => [rule, ending]));
    assert.deepEqual(Object.fromEntries(endings), {
      endpoint_paused: 'A person has paused it.',
      key_expires: 'The key was revoked.',
      late: 'The synchronization was paused.',
      needs_approval: 'No run waits for approval any more.',
      rejects: 'There are no more rejected rows than the alert allows.',
      schema_changed: 'The next run has found no other change of the fields.',
    });
  });

  test('late is counted from the last success, and lag only where an alert asks for it', async () => {
    const sync = await addSync(db);
    await run(`update syncs set expect_ms = ${10 * MINUTE} where id = '${sync}'`);
    await ended(sync, 'partial', 9 * MINUTE);
    await look();
    assert.deepEqual(await incidents(), []);
    await run(`update runs set finished_at = '${isoTime(Date.now() - 11 * MINUTE)}', started_at = '${isoTime(Date.now() - 12 * MINUTE)}'`);
    await run(`update sync_state set status_at = '${isoTime(Date.now() - MINUTE)}'`);
    await look();
    assert.deepEqual(await incidents(), [], 'it was resumed a minute ago');
    await run(`update sync_state set status_at = '2026-01-01T00:00:00.000Z'`);
    await look();
    assert.deepEqual(
      (await incidents()).map(({ rule }) => rule),
      ['late'],
    );
    await add([{ type: 'lag', seconds: 600 }]);
    await add([{ type: 'lag', seconds: 900 }]);
    await look();
    assert.deepEqual(
      (await incidents()).map(({ rule }) => rule),
      ['late', 'lag'],
    );
    assert.equal((await messages()).length, 1, 'told is the one whose measure is full');
  });

  test('disks: of the node itself on SQLite, of every node on PostgreSQL', async () => {
    await add([{ type: 'disk_full', free_percent: 50 }]);
    if (engine === 'postgres') {
      const node = (
        id: string,
        host: string,
        free: number,
      ): string => `insert into nodes (id, host, pid, role, version, schema_version, max_runs, started_at, seen_at, clock_ahead_ms, secret_marks, disk_free, disk_size)
        values ('${id}', '${host}', 1, 'all', '1', 1, 1, 'x', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 0, '[]', ${free}, 100)`;
      await run(node('nod_1', 'full', 4));
      await run(node('nod_2', 'full', 90));
      await run(node('nod_3', 'empty', 60));
      await look();
      const open = await db.read.all<{ object_id: string; summary: string }>(sql`select object_id, summary from incidents`);
      assert.deepEqual(
        open.map(({ object_id }) => object_id),
        ['full'],
      );
      assert.match(open[0]?.summary ?? '', /^Only 4 % /);
    } else {
      await look();
      const open = await db.read.all<{ object_id: string }>(sql`select object_id from incidents`);
      for (const { object_id } of open) assert.equal(object_id, hostname());
    }
  });

  test('an incident, its event and its messages are one; a node that lost the duty writes nothing', async () => {
    const alert = await add([{ type: 'failing', runs: 1 }]);
    const sync = await addSync(db);
    await ended(sync, 'failed', 0, { error: CLOSED });
    const lost = await evaluate(db, { token: token - 1, now: Date.now(), dataDir: db.place.dataDir });
    assert.equal(lost, 'lost');
    assert.deepEqual([await incidents(), await messages()], [[], []]);
    await look();
    const [incident] = await incidents();
    const [message] = await messages();
    assert.partialDeepStrictEqual(message, { kind: 'opened', status: 'waiting', alert_id: alert, attempts: 0 });
    const [event] = await db.read.all<{ type: string; topic: string; object_id: string }>(
      sql`select type, topic, object_id from events order by seq desc limit 1`,
    );
    assert.deepEqual(event, { type: 'incident.opened', topic: 'incidents', object_id: incident?.id });
    await db.write(deleteAlert, { actor, now: Date.now(), id: alert });
    assert.deepEqual(await messages(), []);
    // An alert that is gone by now is told nothing, and stops nothing.
    const gone = { alertId: alert, incidentId: incident?.id ?? '', kind: 'reminder' as const, nextAt: Date.now() };
    const changes = { opened: [], changed: [], closed: [], messages: [gone], learned: [{ ...gone, remindAt: null }], forgotten: [] };
    assert.equal(await db.write(applyChanges, { token, now: Date.now(), changes }), true);
    assert.deepEqual(await messages(), []);
  });

  test('quiet hours: what is over by then is told once, as over', async () => {
    const now = new Date();
    const at = (minutes: number): string => new Date(now.getTime() + minutes * MINUTE).toISOString().slice(11, 16);
    await add([{ type: 'failing', runs: 1 }], { quiet_hours: { from: at(-5), to: at(120), timezone: 'UTC' } });
    const sync = await addSync(db);
    await ended(sync, 'failed', 0, { error: CLOSED });
    await look();
    const [held] = await messages();
    assert.ok((held?.next_at ?? '') > isoTime(Date.now() + 100 * MINUTE));
    assert.deepEqual(await dueAlerts(db.read, isoTime(Date.now()), [], 9), []);
    await ended(sync, 'succeeded');
    await look();
    assert.deepEqual(
      (await messages()).map(({ kind, status }) => [kind, status]),
      [
        ['opened', 'skipped'],
        ['closed', 'waiting'],
      ],
    );
  });

  test('the outbox: in order, tried again, and all at once when one gets through', async () => {
    const alert = await add([{ type: 'failing', runs: 1 }]);
    const [one, two] = [await addSync(db), await addSync(db)];
    for (const sync of [one, two]) await ended(sync, 'failed', 0, { error: CLOSED });
    await look();
    const soon = (): string => isoTime(Date.now() + 1000);
    const due = () => dueMessage(db.read, soon(), alert);
    const first = await due();
    assert.deepEqual(
      (await dueAlerts(db.read, soon(), [], 9)).map(({ id }) => id),
      [alert],
    );
    assert.deepEqual(await dueAlerts(db.read, soon(), [alert], 9), []);
    const failure = {
      token,
      id: first?.id ?? '',
      alertId: alert,
      attempts: 0,
      createdAt: first?.created_at ?? '',
      error: 'It is down.',
      retryAfter: 0,
    };
    assert.equal(await db.write(recordUndelivered, { ...failure, token: token - 1, now: Date.now() }), false);
    await db.write(recordUndelivered, { ...failure, now: Date.now() });
    assert.partialDeepStrictEqual(await findAlert(db.read, alert), { error: 'It is down.', waiting: 2 });
    const second = await due();
    assert.notEqual(second?.id, first?.id, 'the other one does not wait behind it');
    await ended(one, 'succeeded');
    await ended(two, 'succeeded');
    await look();
    const kinds = (await messages()).map(({ kind, status }) => `${kind} ${status}`);
    assert.deepEqual(
      kinds.sort(),
      ['closed waiting', 'closed waiting', 'opened skipped', 'opened waiting'],
      'what was tried may have arrived, and is told first',
    );
    const next = await due();
    await db.write(recordDelivered, { token, now: Date.now(), id: next?.id ?? '', alertId: alert, attempts: 0, remark: null });
    assert.equal((await due())?.id, first?.id, 'what waited for its time is tried at once');
    await db.write(recordDelivered, { token, now: Date.now(), id: first?.id ?? '', alertId: alert, attempts: 1, remark: null });
    const last = await due();
    assert.equal(last?.kind, 'closed', 'the end comes after the beginning');
    assert.partialDeepStrictEqual(await findAlert(db.read, alert), { error: null, waiting: 1 });
    await db.write(recordUndelivered, { ...failure, id: last?.id ?? '', now: Date.now() + 31 * DAY, createdAt: isoTime(Date.now()) });
    assert.partialDeepStrictEqual(
      (await messages()).find(({ id }) => id === last?.id),
      { status: 'failed', next_at: null },
    );
  });

  test('reminders: not while the one before waits; and a changed alert is tried anew', async () => {
    const alert = await add([{ type: 'failing', runs: 1 }], { remind_every: '5m' });
    const sync = await addSync(db);
    await ended(sync, 'failed', 0, { error: CLOSED });
    await look();
    const remind = async (): Promise<void> => {
      await run(`update alert_incidents set remind_at = '${isoTime(Date.now() - 1000)}'`);
      await look();
    };
    await remind();
    assert.deepEqual(
      (await messages()).map(({ kind }) => kind),
      ['opened'],
    );
    await run(`update alert_messages set status = 'sent', next_at = null`);
    await remind();
    await remind();
    assert.deepEqual(
      (await messages()).map(({ kind }) => kind),
      ['opened', 'reminder'],
    );
    await run(`update alert_messages set next_at = '9999' where kind = 'reminder'`);
    const row = await findAlert(db.read, alert);
    assert.ok(row);
    await db.write(updateAlert, { ...row, actor, now: Date.now(), remind_every: null, fields: ['remind_every'], hears: RULES });
    assert.ok(((await messages()).at(-1)?.next_at ?? '9999') < '9999');
    const [pair] = await db.read.all<{ remind_at: string | null }>(sql`select remind_at from alert_incidents`);
    assert.equal(pair?.remind_at, null);
  });

  test('what is over for 30 days is forgotten, with its messages', async () => {
    await add([{ type: 'failing', runs: 1 }]);
    const sync = await addSync(db);
    await ended(sync, 'failed', 0, { error: CLOSED });
    await look();
    await ended(sync, 'succeeded');
    await look();
    const before = isoTime(Date.now() - 30 * DAY);
    assert.equal(await db.write(forgetIncidents, { before, most: 100 }), 0);
    await run(`update incidents set closed_at = '${isoTime(Date.now() - 31 * DAY)}'`);
    assert.equal(await db.write(forgetIncidents, { before, most: 100 }), 1);
    assert.deepEqual([await incidents(), await messages()], [[], []]);
  });
});

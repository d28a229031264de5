// The service is killed while it tells of incidents by mail, to a server that is in a mood of its own: no incident is lost, and what
// comes twice has the same id.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster } from '../support/cluster.ts';
import { createPlace, onBothEngines } from '../support/databases.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Body, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { callService, type Reply } from '../support/service.ts';
import { type SmtpMood, startSmtp } from '../support/smtp-server.ts';
import { until } from '../support/until.ts';
import { isLarge } from './sizes.ts';

// Each round kills three times. Of 200 crashes that are asked for, a tenth falls to each database.
const ROUNDS = Math.max(1, Math.round(Number(process.env['CRASHES'] ?? 0) / 30));
/** A node that was killed has its duty for ten seconds more, and what failed is tried after ten. */
const PATIENCE = 90_000;
const MOODS: SmtpMood[] = ['accept', 'swallows', 'closes', { data: '451 4.3.0 later' }, { mail: '550 5.0.0 never' }, 'accept'];

onBothEngines('alerts and kill -9', (engine) => {
  // Three nodes wait ten seconds for the duty of one that was killed, each time.
  const skip = !isLarge && engine === 'postgres' && 'on one node alone; npm run test:crash has three, too';
  test(`${ROUNDS} times, every incident is told as begun and as over`, { timeout: 600_000, skip }, async () => {
    const place = await createPlace(engine);
    const smtp = await startSmtp();
    // On PostgreSQL three nodes share the work; on SQLite there is one at a time.
    const cluster = engine === 'postgres' ? new Cluster(place, { SYNCLINE_FILE_ROOTS: `${place.dataDir}/files` }) : undefined;
    let alone = cluster ? undefined : await startProcess(place);
    await cluster?.startMany(3);
    const service = {
      call: async (method: string, path: string, options: object = {}): Promise<Reply> => {
        const { url, adminKey } = (cluster ?? alone) as Reachable;
        return callService(url, adminKey, method, path, options);
      },
    };
    const kill = async (): Promise<void> => {
      await pause(Math.random() * 2500);
      if (cluster) {
        const [victim] = cluster.nodes;
        if (victim) await cluster.kill(victim);
        await cluster.start();
      } else {
        await alone?.kill();
        alone = await startProcess(place);
      }
    };
    try {
      const path = sqliteFile(place, 'tank.db');
      change(path, 'create table t (id integer primary key)');
      change(path, 'create table unrelated (id integer primary key)');
      const [from, to] = [
        await addSource(service, 'sqlite', { path }),
        await addSource(service, 'sqlite', { path: sqliteFile(place, 'copy.db') }),
      ];
      const { id: sync } = await ask(service, 'POST', '/sync', {
        name: 'tank',
        source_id: from,
        target_id: to,
        streams: [{ source: 't' }],
        schedule: { type: 'manual' },
      });
      const channel = { type: 'email', smtp_url: `smtp://127.0.0.1:${smtp.port}`, from: 'sync@example.com', to: ['ops@example.com'] };
      const { body } = await service.call('POST', '/api/v1/alerts', { body: { name: 'ops', channel, rules: [{ type: 'failing' }] } });
      const incidents = async (): Promise<Body[]> =>
        (await service.call('GET', '/api/v1/incidents?status=all&rule=failing&limit=1000')).body.data;
      const messages = async (): Promise<Body[]> =>
        (await service.call('GET', `/api/v1/alerts/${body.data.id}/messages?limit=1000`)).body.data;
      const moody = (): void => {
        smtp.mood = MOODS[Math.floor(Math.random() * MOODS.length)] ?? 'accept';
      };
      const allSent = async (): Promise<boolean> => {
        smtp.mood = 'accept';
        return (await messages()).every(({ status }) => status !== 'waiting');
      };

      for (let round = 0; round < ROUNDS; round++) {
        moody();
        change(path, 'drop table t');
        assert.equal((await runToEnd(service, sync)).status, 'failed');
        await kill();
        await until('the incident', async () => (await incidents()).length === round + 1, PATIENCE);
        moody();
        await kill();
        change(path, 'create table t (id integer primary key)');
        assert.equal((await runToEnd(service, sync)).status, 'succeeded');
        await kill();
        await until('its end', async () => (await incidents()).every(({ closed_at }) => closed_at !== null), PATIENCE);
        await until('that all is told', allSent, PATIENCE);
      }

      const told = await messages();
      const known = new Set(told.map(({ id }) => `<${id}@example.com>`));
      for (const { id } of await incidents()) {
        const mails = smtp.mails.filter(({ headers }) => headers.get('x-syncline-incident') === id);
        const kinds = Map.groupBy(mails, ({ headers }) => (headers.get('subject')?.includes('over') ? 'closed' : 'opened'));
        const wasSkipped = told.some((one) => one.incident_id === id && one.status === 'skipped');
        assert.ok(kinds.has('closed'), `${id} is told as over`);
        assert.ok(kinds.has('opened') || wasSkipped, `${id} is told as begun, unless it was over before it could be`);
        for (const of of kinds.values())
          assert.equal(new Set(of.map(({ headers }) => headers.get('message-id'))).size, 1, 'doubles have the same id');
        for (const { headers } of mails) assert.ok(known.has(headers.get('message-id') ?? ''));
      }
      assert.deepEqual(smtp.faults, []);
    } finally {
      await cluster?.killAll();
      await alone?.kill();
      await smtp.close();
      await place.remove();
    }
  });
});

function change(path: string, statement: string): void {
  const db = new DatabaseSync(path, { timeout: 5000 });
  db.exec(statement);
  db.close();
}

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { createPlace, onBothEngines } from '../support/databases.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { callService } from '../support/service.ts';
import { until } from '../support/until.ts';

const BASE = '/api/v1/datasync/hooks';
const SECRET = 'a secret of the sender';
const ROUNDS = Math.max(2, Math.round(Number(process.env['CRASHES'] ?? 0) / 50));
const SENDERS = 16;

function signed(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

onBothEngines('hooks of a service that is killed right after it has answered', (engine) => {
  test('nothing that was taken is lost or doubled, and nothing forged is there', async () => {
    const place = await createPlace(engine);
    let service: ServiceProcess | undefined;
    try {
      service = await startProcess(place);
      const made = await callService(service.url, service.adminKey, 'POST', BASE, {
        body: { name: 'h', scheme: 'github', secret: SECRET },
      });
      const { id: hookId, token } = made.body.data;
      /** What was answered, by the number of the call; and what was sent at all. */
      const taken = new Map<string, string>();
      const sent = new Set<string>();
      let messages = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const current = (service ??= await startProcess(place));
        const enough = 20 + round * 30;
        let answered = 0;
        const dead = new AbortController();
        const kill = Promise.withResolvers<void>();
        const send = async (): Promise<void> => {
          while (!dead.signal.aborted) {
            const name = `message ${messages++}`;
            const body = JSON.stringify({ name, words: 'x'.repeat(200) });
            const isForged = messages % 5 === 0;
            if (!isForged) sent.add(body);
            const headers = { 'x-github-delivery': name, 'x-hub-signature-256': signed(body, isForged ? 'another secret' : SECRET) };
            const call = () => callService(current.url, '', 'POST', `/api/v1/hooks/${token}`, { key: null, raw: body, headers });
            // On a machine that has much else to do, a call may wait too long for a connection to the database. It is not taken then, and sent again.
            const { reply } = await until('a database that has time', async () => {
              const got = await call().catch(() => undefined);
              return got?.status !== 503 && { reply: got };
            });
            if (!reply) return;
            assert.equal(reply.status, isForged ? 401 : 200, reply.text);
            if (isForged) continue;
            taken.set(reply.body.data.id, body);
            if (++answered === enough) kill.resolve();
          }
        };
        const senders = Array.from({ length: SENDERS }, send);
        await Promise.race([kill.promise, Promise.all(senders)]);
        await current.kill();
        dead.abort();
        await Promise.all(senders);
        service = undefined;
      }
      service = await startProcess(place);
      const kept = new Map<string, string>();
      for (let cursor: string | null = ''; cursor !== null; ) {
        const path: string = `${BASE}/${hookId}/calls?limit=1000${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const { body } = await callService(service.url, service.adminKey, 'GET', path, {});
        for (const call of body.data) kept.set(call.id, call.body);
        cursor = body.next_cursor;
      }
      assert.ok(taken.size >= ROUNDS * 20, `${taken.size} were taken`);
      for (const [id, body] of taken) assert.equal(kept.get(id), body, `${id} was answered with 200`);
      for (const [id, body] of kept) assert.ok(sent.has(body), `${id} was never sent: ${body}`);
      assert.equal(new Set(kept.values()).size, kept.size, 'no message twice');
      const numbers = [...kept.keys()].map((id) => Number(id.split('.')[1])).toSorted((a, b) => a - b);
      assert.deepEqual(
        numbers,
        numbers.map((_, at) => at + 1),
        'no gaps',
      );
    } finally {
      await service?.kill();
      await place.remove();
    }
  });
});

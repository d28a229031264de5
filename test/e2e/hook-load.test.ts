import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { createPlace, onEitherEngine } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';

const BASE = '/api/v1/datasync/hooks';
const SECRET = 'a secret of the sender';
const CALLS = 3000;
const AT_ONCE = 64;

interface Sent {
  status: number;
  id: string;
  duplicate: boolean;
}

/** As senders do: over connections that stay open. */
function send(agent: Agent, url: string, body: string, headers: Record<string, string>): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const { data } = JSON.parse(text) as { data?: Omit<Sent, 'status'> };
        resolve({ status: response.statusCode ?? 0, id: data?.id ?? '', duplicate: data?.duplicate ?? false });
      });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

function messageOf(n: number): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({ n, words: 'x'.repeat(500) });
  const signature = createHmac('sha256', SECRET).update(body).digest('base64');
  return { body, headers: { 'x-shopify-hmac-sha256': signature, 'x-shopify-webhook-id': `message ${n}` } };
}

onEitherEngine('many calls of a hook', (engine) => {
  test('are all kept, once each, on two nodes at the same time', async (t) => {
    const place = await createPlace(engine);
    const nodes: Service[] = [];
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    try {
      nodes.push(await startService(engine, { place }));
      // SQLite has one node: the doubles come to the same one.
      nodes.push(engine === 'postgres' ? await startService(engine, { place }) : (nodes[0] as Service));
      const [first, second] = nodes as [Service, Service];
      const { id, token } = (await first.post(BASE, { name: 'busy', scheme: 'shopify', secret: SECRET })).body.data;
      const urls = [first, second].map(({ url }) => `${url}/api/v1/hooks/${token}`);
      let next = 0;
      const answers: Sent[] = [];
      const began = performance.now();
      const work = async (): Promise<void> => {
        while (next < CALLS) {
          const n = next++;
          const { body, headers } = messageOf(n);
          // Each tenth comes to both nodes at once.
          const targets = n % 10 === 0 ? urls : [urls[n % 2] as string];
          answers.push(...(await Promise.all(targets.map((url) => send(agent, url, body, headers)))));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      const seconds = (performance.now() - began) / 1000;
      t.diagnostic(`${Math.round(answers.length / seconds)} calls a second, signed and on disk (${engine}, sender in the same process)`);
      assert.ok(answers.every(({ status }) => status === 200));
      assert.equal(answers.filter(({ duplicate }) => duplicate).length, CALLS / 10);
      assert.equal(new Set(answers.map((answer) => answer.id)).size, CALLS);
      const { calls } = (await first.get(`${BASE}/${id}`)).body.data;
      assert.equal(calls, CALLS);
      assert.equal((await first.get(`${BASE}/${id}/calls?limit=1`)).body.total, CALLS);
    } finally {
      agent.destroy();
      for (const node of new Set(nodes)) await node.close();
      await place.remove();
    }
  });

  test('of 10 MB each at once are taken or told to wait, and none is lost', async () => {
    const service = await startService(engine);
    const agent = new Agent({ keepAlive: true });
    try {
      const { id, token } = (await service.post(BASE, { name: 'large', scheme: 'token' })).body.data;
      const body = 'x'.repeat(10 * 1024 * 1024);
      const url = `${service.url}/api/v1/hooks/${token}`;
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => send(agent, url, body, {}).catch(() => ({ status: 0, id: '', duplicate: false }))),
      );
      const taken = answers.filter(({ status }) => status === 200).length;
      assert.ok(taken > 0);
      assert.ok(
        answers.every(({ status }) => [0, 200, 429, 503].includes(status)),
        JSON.stringify(answers),
      );
      assert.equal((await service.get(`${BASE}/${id}`)).body.data.calls, taken);
    } finally {
      agent.destroy();
      await service.close();
    }
  });
});

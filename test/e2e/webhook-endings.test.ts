import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { until } from '../support/until.ts';
import { webhookScene } from '../support/webhook-scene.ts';

// When a request to pause or delete an endpoint was answered, nothing more is sent to it.

const PRODUCTS = ['a', 'b', 'c', 'd'];

onEitherEngine('endpoints that are paused or deleted', (engine) => {
  const scene = webhookScene(engine, {});
  const { endpoint, change } = scene;
  const paths = (path: string): string[] =>
    scene.receiver.received.filter((message) => message.path === path).map(({ body }) => body.data.product_id as string);

  /** Makes an endpoint with one message under way and others behind it; answers its id, and the answer that waits. */
  async function withOneUnderWay(): Promise<{ id: string; waiting: ServerResponse }> {
    let waiting: ServerResponse | undefined;
    scene.receiver.answer = ({ path }, response) => {
      if (path === '/ending' && !waiting) waiting = response;
      else response.writeHead(204).end();
    };
    const id = await endpoint({ url: `${scene.receiver.url}/ending`, max_in_flight: 1 });
    await change(...PRODUCTS);
    return { id, waiting: await until('one to be under way', () => waiting) };
  }

  /** Another endpoint was told of what came later: by then there was time to tell the one that has ended. */
  async function othersAreTold(): Promise<void> {
    await endpoint({ url: `${scene.receiver.url}/other` });
    await change('e');
    await until('the other one to be told', () => paths('/other').includes('e'));
  }

  test('when its deletion was answered, no attempt is begun', async () => {
    const { id, waiting } = await withOneUnderWay();
    assert.equal((await scene.service.call('DELETE', `/api/v1/webhooks/${id}`)).status, 200);
    waiting.writeHead(204).end();
    await othersAreTold();
    assert.ok(waiting.destroyed, 'what was under way is cut short');
    assert.deepEqual(paths('/ending'), ['a']);
  });

  test('when its pause was answered, no attempt is begun, and all follows when it is resumed', async () => {
    const { id, waiting } = await withOneUnderWay();
    assert.equal((await scene.service.post(`/api/v1/webhooks/${id}/pause`)).body.data.status, 'paused');
    assert.ok(!waiting.destroyed, 'what was under way goes on');
    waiting.writeHead(204).end();
    await othersAreTold();
    assert.deepEqual(paths('/ending'), ['a']);
    assert.equal((await scene.service.post(`/api/v1/webhooks/${id}/resume`)).status, 200);
    await until('all to arrive', () => paths('/ending').length >= PRODUCTS.length + 1);
    assert.deepEqual([...new Set(paths('/ending'))], [...PRODUCTS, 'e']);
  });
});

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import type { Engine } from '../../src/db/sql.ts';
import type { Timing } from '../../src/webhooks/delivery/schedule.ts';
import { type Service, startService } from './service.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/** A delivery, as the API shows it. */
export interface ShownDelivery {
  sequence: number;
  message_id: string;
  status: string;
  attempts: number;
  error: string | null;
  object_id: string;
}

/** A service whose products are told to endpoints at a receiver. */
export interface WebhookScene {
  readonly service: Service;
  /** Another one for each test. */
  readonly receiver: WebhookReceiver;
  /** Makes an endpoint, which is gone after the test; answers its id. */
  readonly endpoint: (given?: object) => Promise<string>;
  /** Changes products, one after the other. */
  readonly change: (...products: string[]) => Promise<void>;
  /** The newest first. */
  readonly deliveries: (id: string, query?: string) => Promise<ShownDelivery[]>;
}

/** To be called in a suite, before its tests. */
export function webhookScene(engine: Engine, deliveryTiming: Partial<Timing>): WebhookScene {
  let service: Service;
  let receiver: WebhookReceiver;
  let price = 1;
  const made: string[] = [];
  before(async () => {
    service = await startService(engine, { deliveryTiming });
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    for (const id of made.splice(0)) await service.call('DELETE', `/api/v1/webhooks/${id}`);
    await receiver.close();
  });
  after(() => service.close());
  return {
    get service() {
      return service;
    },
    get receiver() {
      return receiver;
    },
    endpoint: async (given = {}) => {
      const wish = { name: 'shop', url: `${receiver.url}/hook`, types: ['product.*'], ...given };
      const { status, body } = await service.post('/api/v1/webhooks', wish);
      assert.equal(status, 200, JSON.stringify(body));
      made.push(body.data.id as string);
      return body.data.id as string;
    },
    change: async (...products) => {
      for (const product_id of products) {
        const { status } = await service.post('/api/v1/products/sync', { product_id, name: product_id, price: ++price });
        assert.equal(status, 200);
      }
    },
    deliveries: async (id, query = '') => (await service.get(`/api/v1/webhooks/${id}/deliveries${query}`)).body.data as ShownDelivery[],
  };
}

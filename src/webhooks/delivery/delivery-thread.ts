// The thread that delivers. It is less urgent than the rest of the service: a request to the API is not slowed by what is sent to others.
import { parentPort, workerData } from 'node:worker_threads';
import { packError, type PackedError } from '../../connectors/packed-error.ts';
import { type CallAnswer, callsOver, type ThreadCall } from '../../datasync/sources/thread-calls.ts';
import { giveWay } from '../../lib/give-way.ts';
import type { TracedSpan } from '../../traces/span.ts';
import { tracedClient } from '../../traces/traced-client.ts';
import { createDeliveryClient } from './attempt.ts';
import { Deliverer } from './deliverer.ts';
import type { Ending } from './endings.ts';
import { type DeliveryPort, type DeliveryStart, SHARED, steadyTime } from './port.ts';

export type ToDelivery = CallAnswer | { readonly stop: number } | { readonly number: number; readonly endings: readonly Ending[] };
export type FromDelivery =
  | ThreadCall
  | { readonly heeded: number }
  | { readonly spans: readonly TracedSpan[]; readonly dropped: number }
  | { readonly isOver: true; readonly error?: PackedError };

giveWay();
const { networks, timing, shared, sampler } = workerData as DeliveryStart;
const values = new Float64Array(shared);
const send = (message: FromDelivery): void => parentPort?.postMessage(message);
const calls = callsOver(send);
const call = <Method extends keyof DeliveryPort>(method: Method): DeliveryPort[Method] => calls.caller('deliveries', method);
const port: DeliveryPort = {
  endpoints: call('endpoints'),
  rows: call('rows'),
  end: call('end'),
  news: call('news'),
  page: call('page'),
  sentBefore: call('sentBefore'),
  record: call('record'),
};
const plain = createDeliveryClient(networks, timing.timeout);
const client = sampler ? tracedClient(plain, { name: 'webhook', sampler }, (spans, dropped) => send({ spans, dropped })) : plain;
const deliverer = new Deliverer({
  port,
  client,
  timing,
  now: () => Math.round(Date.now() + (values[SHARED.clockOffset] ?? 0)),
  busy: () => values[SHARED.busy] ?? 0,
  isHeld: () => steadyTime() < (values[SHARED.until] ?? 0),
});

parentPort?.on('message', (message: ToDelivery) => {
  if ('answer' in message) calls.settle(message);
  else if ('endings' in message) {
    deliverer.heed(message.endings);
    send({ heeded: message.number });
  } else void deliverer.stop(message.stop).finally(() => send({ isOver: true }));
});
deliverer.run().then(
  () => send({ isOver: true }),
  (error: unknown) => send({ isOver: true, error: packError(error) }),
);

import { setTimeout as sleep } from 'node:timers/promises';
import { type Contender, startContender } from './processes.ts';
import type { Syncline } from './syncline.ts';

const WEBHOOKS = '/api/v1/webhooks';
const PATIENCE = 120_000;

/** A receiver in a process of its own. */
export interface BenchReceiver extends Contender {
  /** How old messages were when they arrived, in milliseconds, since the last time it was asked. */
  told(): Promise<number[]>;
  /** From now on it never answers on /dying. */
  die(): Promise<void>;
}

const RECEIVER = new URL('../contenders/webhook-receiver.ts', import.meta.url);

export async function startBenchReceiver(): Promise<BenchReceiver> {
  const contender = await startContender(RECEIVER);
  const ask = async (path: string): Promise<number[]> => (await (await fetch(contender.url + path)).json()) as number[];
  return {
    ...contender,
    told: () => ask('/told'),
    die: async () => {
      await ask('/die');
    },
  };
}

/** Receivers that answer until they die, each in its way. */
export interface DyingReceivers {
  /** Where they are. */
  readonly urls: readonly string[];
  die(): Promise<void>;
  stop(): Promise<void>;
}

/** The first one takes messages and never answers, the second refuses connections, the third does not even do that. */
export async function startDyingReceivers(): Promise<DyingReceivers> {
  const hanging = await startBenchReceiver();
  const refusing = await startContender(RECEIVER);
  // What waits for a process that is stopped is taken by the system, as far as there is room for it.
  const mute = await startContender(RECEIVER, { BACKLOG: '1' });
  return {
    urls: [hanging, refusing, mute].map(({ url }) => `${url}/dying`),
    die: async () => {
      await hanging.die();
      await refusing.stop();
      process.kill(mute.pid, 'SIGSTOP');
    },
    stop: async () => {
      process.kill(mute.pid, 'SIGCONT');
      await Promise.all([hanging.stop(), refusing.stop(), mute.stop()]);
    },
  };
}

/** Names are not given twice. */
let made = 0;

export async function makeEndpoint(syncline: Syncline, url: string, given: object = {}): Promise<string> {
  const answer = await syncline.post(WEBHOOKS, JSON.stringify({ name: `bench ${++made}`, url, ...given }));
  return (JSON.parse(answer) as { data: { id: string } }).data.id;
}

export async function removeEndpoint(syncline: Syncline, id: string): Promise<void> {
  await syncline.remove(`${WEBHOOKS}/${id}`);
}

/** Resolves when everything up to this sequence was delivered and is written down. */
export async function untilDelivered(syncline: Syncline, id: string, sequence: number): Promise<void> {
  for (const deadline = performance.now() + PATIENCE; ; ) {
    const { data } = JSON.parse(await syncline.get(`${WEBHOOKS}/${id}`)) as { data: { position: number; waiting: number } };
    if (data.position >= sequence && data.waiting === 0) return;
    if (performance.now() > deadline) throw new Error(`Not delivered after ${PATIENCE} ms: ${JSON.stringify(data)}`);
    await sleep(20);
  }
}

/** The sequence of the last event. */
export async function endOfFeed(syncline: Syncline): Promise<number> {
  const { total } = JSON.parse(await syncline.get('/api/v1/events?limit=1')) as { total: number };
  return total;
}

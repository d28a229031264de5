import type { DeliveryPort, Wanted } from './port.ts';
import type { FeedEvent } from './receiver.ts';

/** An event that was taken in before, with the log of its attempts. */
export type EventAgain = FeedEvent & { log: string | null };

interface Asked {
  wanted: Wanted;
  resolve: (event: EventAgain | undefined) => void;
  reject: (error: unknown) => void;
}

/** Reads events again that have waited as rows. What is asked for at the same moment is read together. */
export function createEventsAgain(
  port: DeliveryPort,
  scopes: () => readonly string[],
): (wanted: Wanted) => Promise<EventAgain | undefined> {
  let waiting: Asked[] = [];
  const read = async (): Promise<void> => {
    const asked = waiting;
    waiting = [];
    try {
      const wanted = asked.map((one) => one.wanted);
      const found = await port.sentBefore(wanted, scopes());
      const byPlace = new Map(found.map((event) => [`${event.webhook_id} ${event.seq}`, event]));
      for (const { wanted: one, resolve } of asked) resolve(byPlace.get(`${one.webhookId} ${one.seq}`));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };
  return (wanted) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ wanted, resolve, reject }) === 1) setImmediate(() => void read());
    });
}

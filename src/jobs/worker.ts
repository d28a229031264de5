import type { Logger } from '../lib/log.ts';
import type { QueueWork, Worker } from './dispatcher.ts';
import { startPulse } from './pulse.ts';

/** Takes work while there is room. */
export function workerOver({ name, room, take, interval }: QueueWork, log: Logger): Worker {
  return startPulse({
    name,
    interval,
    log,
    work: async () => {
      const most = room();
      if (most > 0) await take(most);
    },
  });
}

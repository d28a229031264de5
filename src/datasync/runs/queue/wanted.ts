import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type Agenda, readWanted } from './agenda.ts';
import { fireWanted } from './fire.ts';

/** No sooner than this after its last start a synchronization is started again: what is wanted meanwhile goes together. */
const SHORTEST_PAUSE = 400;
/** While one is wanted and cannot be started yet. */
const LOOK_AGAIN = 200;
const AT_ONCE = 200;

/** Starts synchronizations that are wanted: by a call from outside, or by the one before them in a chain. */
export interface WantedWatch {
  /** Puts runs in the queue; answers in how many milliseconds it is worth another look, if it is. */
  look(agenda: Pick<Agenda, 'wanted'>): Promise<number | undefined>;
}

export function createWantedWatch({ db, clock }: { db: Database; clock: Clock }): WantedWatch {
  /** When this node started one for this; only those that would have to rest are kept. */
  const startedAt = new Map<string, number>();
  return {
    look: async (agenda) => {
      if (agenda.wanted === 0) return undefined;
      const moment = performance.now();
      for (const [id, at] of startedAt) if (moment - at >= SHORTEST_PAUSE) startedAt.delete(id);
      const found = await readWanted(db.read, AT_ONCE + startedAt.size);
      const rested = found.filter((id) => !startedAt.has(id)).slice(0, AT_ONCE);
      if (rested.length === 0) return found.length === 0 ? undefined : LOOK_AGAIN;
      for (const id of await db.write(fireWanted, { now: clock(), syncIds: rested })) startedAt.set(id, moment);
      return LOOK_AGAIN;
    },
  };
}

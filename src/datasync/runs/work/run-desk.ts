import { fenced } from '../../../outside/errors.ts';
import type { Command, Database } from '../../../db/database.ts';
import type { KeptReject, TakenPart } from '../../../engine/run.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Claimed } from '../queue/claim.ts';
import { keepRejects, type NewReject, openRejects, resolveRejects } from '../rejects/rejects.ts';
import { liveFront, nudgeLive } from '../queue/live.ts';
import { endPart, offerParts, partKey, takePart } from '../queue/parts.ts';
import { PATIENCE, patiently } from './patience.ts';
import { joinDelivered, keepDelivered, listDelivered } from '../rows/delivered.ts';
import { recountRun } from '../rows/recount.ts';
import type { RunDesk } from './run-messages.ts';
import { isOurs, type StreamMemory } from '../rows/stream-memory.ts';
import type { WrittenTogether } from './written-together.ts';

const REJECTS_A_PAGE = 500;

interface DeskOptions {
  db: Database;
  clock: Clock;
  together: WrittenTogether;
  /** Whether the target itself knows how far it is. Otherwise only we do, and a position must not be lost. */
  targetKeepsPosition: boolean;
  offered?: () => void;
}

/** Where a run leaves what is to be kept, and what it has left until its end is written down. */
export interface Desk extends RunDesk {
  memories(): StreamMemory[];
}

/** What a run keeps in our own database. Whatever is known already is not written again: most runs find everything as it was. */
export function deskOf(
  { db, clock, together, targetKeepsPosition, offered }: DeskOptions,
  { run, sync, states }: Claimed,
  part?: TakenPart,
): Desk {
  const demand = async (write: () => Promise<boolean>): Promise<void> => {
    const isWritten = await patiently(() => PATIENCE, write);
    if (!isWritten) throw fenced();
  };
  const write = <Input>(command: Command<Input, boolean>, input: Input): Promise<void> => demand(() => db.write(command, input));
  const memories = new Map<number, StreamMemory>();
  const atTheEnd = (index: number, memory: Partial<StreamMemory>): void => {
    const { state, speaker } = ofStream(index);
    memories.set(index, { ...speaker, generation: state.generation, ...memories.get(index), ...memory });
  };
  const known = new Map(states.map((state) => [state.index, { ...state }]));
  const ofStream = (index: number) => {
    const definition = sync.definition.streams[index];
    const state = known.get(index);
    if (!definition || !state) throw new Error(`The run has no stream ${index}.`);
    const { source: stream, target } = definition;
    const token = part ? { token: part.token, part: partKey(run.id, target, part) } : { token: sync.token };
    return { state, stream, speaker: { runId: run.id, syncId: sync.id, target, ...token } };
  };
  return {
    memories: () => [...memories.values()],
    keepRejects: async (index, rejects) => {
      const { stream, speaker } = ofStream(index);
      await write(keepRejects, { ...speaker, now: clock(), stream, rejects: rejects.map(storedReject) });
    },
    listRejects: (index, after) => {
      const { syncId, target } = ofStream(index).speaker;
      return patiently(
        () => PATIENCE,
        () => openRejects(db.read, { syncId, target, after, limit: REJECTS_A_PAGE }),
      );
    },
    resolveRejects: async (index, which) => {
      const { speaker } = ofStream(index);
      await write(resolveRejects, { ...speaker, now: clock(), which: which === 'unseen' ? which : [...which] });
    },
    keepPosition: async (index, position, note) => {
      const { state, speaker } = ofStream(index);
      if (state.position === position && note === undefined) return;
      const memory = { ...(position !== null && { position }), ...(note !== undefined && { note }) };
      if (targetKeepsPosition) atTheEnd(index, memory);
      else await demand(() => together.remember({ ...speaker, generation: state.generation, ...memory }));
      state.position = position ?? state.position;
    },
    listDelivered: (index, after) => {
      const { syncId, target, runId } = ofStream(index).speaker;
      return patiently(
        () => PATIENCE,
        () => listDelivered(db.read, { syncId, target, runId, after }),
      );
    },
    keepDelivered: async (index, entries, note) => {
      const { state, speaker } = ofStream(index);
      const seq = await patiently(
        () => PATIENCE,
        () => db.write(keepDelivered, { ...speaker, generation: state.generation, entries, note }),
      );
      if (seq === null) throw fenced();
      return seq;
    },
    joinDelivered: async (index, joined) => {
      await write(joinDelivered, { ...ofStream(index).speaker, ...joined });
    },
    keepFields: async (index, fields) => {
      const { state } = ofStream(index);
      if (JSON.stringify(state.fields) !== JSON.stringify(fields)) atTheEnd(index, { fields });
    },
    recount: async (index, earlier, counts) => {
      const { speaker } = ofStream(index);
      await write(recountRun, { ...speaker, now: clock(), earlier, counts });
    },
    keepRows: async (index, rows) => {
      if (ofStream(index).state.rows !== rows) atTheEnd(index, { rows });
    },
    isOurs: (index) => isOurs(db.read, ofStream(index).speaker),
    liveFront: async (index) => {
      const { syncId, target } = ofStream(index).speaker;
      return patiently(
        () => PATIENCE,
        () => liveFront(db.read, syncId, target),
      );
    },
    nudgeLive: async () => {
      await db.write(nudgeLive, { now: clock(), syncId: sync.id });
    },
    offerParts: async (index, split, parts) => {
      const { speaker } = ofStream(index);
      await write(offerParts, { ...speaker, split, version: sync.version, parts: [...parts] });
      offered?.();
    },
    takePart: async (index) => {
      const { speaker } = ofStream(index);
      const left = await patiently(
        () => PATIENCE,
        () => db.write(takePart, { ...speaker, now: clock() }),
      );
      if (!left) throw fenced();
      return left;
    },
    endPart: async (index, taken) => {
      const { target } = ofStream(index).speaker;
      await write(endPart, { ...partKey(run.id, target, taken), token: taken.token, status: 'done', error: null });
    },
  };
}

function storedReject({ identity, key, row, field, reason, unreadable }: KeptReject): NewReject {
  return { identity, key, row: JSON.stringify(row), field: field ?? null, reason, unreadable };
}

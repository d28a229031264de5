import type { Position } from '../batch.ts';
import type { Applier, ApplyRequest, ApplyResult } from '../changes.ts';
import type { Changes } from '../contract.ts';
import { fenced, OutsideError } from '../../outside/errors.ts';
import { countInto, DraftTable } from './draft.ts';
import type { Script } from './faults.ts';
import type { FakeCheckpoint, Memory } from './memory.ts';
import { none } from './write.ts';

/** Applies changes to the memory. What is not committed yet is in a draft: nobody else sees it, and it is simply dropped when something fails. */
export async function openApplier(memory: Memory, script: Script, request: ApplyRequest): Promise<Applier> {
  const { owner, token, signal } = request;
  await script.at('open', { signal });
  const nameless = request.streams.find(({ key }) => key.length === 0);
  if (nameless) throw new OutsideError('config', 'KEY_MISSING', `To apply changes to "${nameless.stream}" it needs a key.`);
  const known = memory.checkpoints.get(owner);
  if (known && known.token > token) throw fenced();
  const steps: (() => void)[] = [];
  let tables = request.streams.map((stream) => new DraftTable(memory, stream, steps));
  const kept = (request.resume?.(known?.note) ?? true) ? known : undefined;
  let { position: checkpoint, note }: { position?: Position | undefined; note?: string | undefined } = kept ?? {};
  memory.checkpoints.set(owner, { position: checkpoint, note, token, stage: undefined, spared: new Set() });
  memory.open++;
  let [sets, isOpen] = [0, true];

  const mine = (): FakeCheckpoint => {
    const now = memory.checkpoints.get(owner);
    if (now?.token !== token) throw fenced();
    return now;
  };
  const clear = (): void => {
    steps.length = 0;
    for (const table of tables) table.clear();
  };
  /** What fails takes everything back since the last position. */
  const whole = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      clear();
      throw error;
    }
  };
  const apply: Applier['apply'] = async ({ changes, position }, settle) => {
    mine();
    const rejects: ApplyResult['rejects'][number][] = [];
    const result: ApplyResult = { counts: tables.map(() => none()), rejects };
    for (const [index, change] of changes.entries()) {
      const { stream } = change;
      const outcome = await (tables[stream] as DraftTable).make(change, request.lookUp);
      if ('reason' in outcome) rejects.push({ ...outcome, index, stream });
      else countInto(result.counts[stream] as Changes, outcome);
    }
    if (position === undefined) return result;
    const given = settle ? await settle(result) : note;
    const state = mine();
    memory.log.transact(() => {
      for (const step of steps) step();
    });
    clear();
    [state.position, state.note] = [checkpoint, note] = [position, given];
    return result;
  };
  return {
    get checkpoint() {
      return checkpoint;
    },
    get note() {
      return note;
    },
    apply: (set, settle) =>
      whole(async () => {
        await script.at('apply', { batches: sets, signal });
        const result = await memory.inTurn(() => apply(set, settle));
        if (set.position !== undefined) await script.at('commit', { batches: sets, signal });
        sets++;
        return result;
      }),
    extend: (stream, fields) =>
      whole(async () => {
        mine();
        tables = tables.map((table, at) => (at === stream ? table.extended(fields) : table));
      }),
    close: async () => {
      if (isOpen) memory.open--;
      isOpen = false;
    },
  };
}

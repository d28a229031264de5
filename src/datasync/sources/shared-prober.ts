import { CHECK_TIMEOUT, type Field } from '../../connectors/contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { PlannedStreams, StreamsToPlan } from '../../engine/plan/streams.ts';
import type { Principal } from '../../http/scopes.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import type { Answers, Question } from './probe.ts';
import { MAX_THREADS, type Prober } from './prober.ts';

/** Asks systems for many callers, none of whom can keep the others out. */
export interface SharedProber {
  ask<Ask extends Question>(caller: Principal, type: string, config: unknown, question: Ask, source?: string): Promise<Answers[Ask['ask']]>;
  plan(caller: Principal, streams: StreamsToPlan): Promise<PlannedStreams>;
  conditionFault(caller: Principal, condition: string, fields: readonly Field[]): Promise<string | undefined>;
  /** It asks no system, and has one thread at a time: nobody has to wait for a turn. */
  makeReady(types: readonly string[]): Promise<void>;
}

/** How long a question waits for its turn. */
const PATIENCE: Readonly<Record<Question['ask'] | 'plan', number>> = {
  check: CHECK_TIMEOUT / 2,
  outline: CHECK_TIMEOUT / 2,
  streams: 15_000,
  sample: 15_000,
  mapped: 15_000,
  release: 15_000,
  identity: 15_000,
  bound: 15_000,
  undo: 15_000,
  forget: 15_000,
  plan: 15_000,
};
/** Saving a definition asks at both ends at once. */
const PER_KEY = MAX_THREADS / 2;
const WAITING_PER_KEY = 32;

/** Systems that hang hold half of the threads for one key at most, and never all of them: an admin is heard at once. */
export function shareProber(prober: Prober): SharedProber {
  const shares = new FairQueue({ places: MAX_THREADS, perOwner: PER_KEY, reserved: 1, waiting: WAITING_PER_KEY });
  const inTurn = async <Answer>(caller: Principal, what: Question['ask'] | 'plan', ask: () => Promise<Answer>): Promise<Answer> => {
    const claimant = { owner: caller.id, isPrivileged: caller.scopes.has('admin') };
    const leave = await shares.take(claimant, performance.now() + PATIENCE[what]);
    if (!leave)
      throw new OutsideError('transient', 'BUSY', 'Too many systems are being asked at the same time, by this key or by all.', {
        hint: 'Try again in a moment.',
      });
    try {
      return await ask();
    } finally {
      leave();
    }
  };
  return {
    ask: (caller, type, config, question, source) => inTurn(caller, question.ask, () => prober.ask(type, config, question, source)),
    plan: (caller, streams) => inTurn(caller, 'plan', () => prober.plan(streams)),
    conditionFault: (caller, condition, fields) => inTurn(caller, 'plan', () => prober.conditionFault(condition, fields)),
    makeReady: (types) => prober.makeReady(types),
  };
}

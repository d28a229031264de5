import { asRunError } from '../../../engine/failure.ts';
import { newReport } from '../../../engine/progress.ts';
import type { RunError, RunOrder, RunOutcome, StopReason, StreamReport } from '../../../engine/run.ts';
import { fenced } from '../../../outside/errors.ts';
import { hitHeapLimit } from '../../../lib/thread-memory.ts';

/** A thread has used more memory than it may. */
export class OutOfMemory extends Error {
  constructor(megabytes: number) {
    super(`The thread uses more than ${megabytes} MB.`);
  }
}

/** Why a thread is gone, for those whose run was in it. */
export function deathOf(error: unknown, memory: number): RunError {
  if (isOutOfMemory(error))
    return {
      kind: 'bug',
      code: 'OUT_OF_MEMORY',
      message: `The run needed more than ${memory} MB of memory and was ended.`,
      hint: 'Very large rows do that: leave out large fields, or give runs more with SYNCLINE_RUN_MEMORY.',
    };
  return {
    kind: 'bug',
    code: 'BUG',
    message: 'The run ended by a fault of Syncline itself.',
    hint: 'The log of the service tells more. Please report it.',
  };
}

/** The same for live runs, which share a thread: whichever of them it was, all of them are taken up again. */
export function liveDeathOf(error: unknown, memory: number): RunError {
  const why = isOutOfMemory(error)
    ? `The live runs of one thread needed more than ${memory} MB of memory together, and were ended.`
    : 'The thread of this live run has ended by a fault of Syncline itself.';
  const hint = isOutOfMemory(error)
    ? 'It goes on from its checkpoint. Should it happen again, give runs more with SYNCLINE_RUN_MEMORY.'
    : 'It goes on from its checkpoint. The log of the service tells more; please report it.';
  return { kind: 'transient', code: 'THREAD_ENDED', message: why, hint };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof OutOfMemory || hitHeapLimit(error);
}

/** The outcome of a run whose thread is gone: what it told last, and why it went no further. */
export function outcomeWithout(
  order: RunOrder,
  latest: ReadonlyMap<number, StreamReport>,
  stopped: StopReason | undefined,
  error: RunError,
): RunOutcome {
  const cut: Pick<StreamReport, 'status' | 'error'> =
    stopped === 'cancelled' || stopped === 'handed_over'
      ? { status: stopped === 'cancelled' ? 'cancelled' : 'pending', error: null }
      : { status: 'failed', error: stopped === 'fenced' ? asRunError(fenced()) : error };
  const streams = order.streams.flatMap(({ index }) => {
    const definition = order.definition.streams[index];
    const report = latest.get(index) ?? (definition && newReport(definition));
    if (!report) return [];
    const open = report.status === 'pending' || report.status === 'running';
    return [{ index, report: open ? { ...report, ...cut } : report }];
  });
  if (stopped === 'cancelled' || stopped === 'handed_over') return { status: stopped, streams, error: null };
  return { status: 'failed', streams, error };
}

import { fenced } from '../outside/errors.ts';
import { asRunError, PlacedError, traceOf } from './failure.ts';
import type { RunError, RunOutcome, RunPorts, StopReason, StreamReport } from './run.ts';

/**
 * Why a stream really goes no further. A worker that was asleep finds its connections ended by the one that has taken over, and may see that before it
 * hears of the other.
 */
export async function causeOf(index: number, thrown: unknown, ports: RunPorts, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted || asRunError(thrown).kind !== 'transient') return thrown;
  // When our own database cannot be asked, nobody knows.
  return (await ports.isOurs(index).catch(() => true)) ? thrown : fenced();
}

/** Notes in a report why its stream goes no further. */
export function fail(report: StreamReport, thrown: unknown, ports: RunPorts, signal: AbortSignal): void {
  const reason = stopReason(signal);
  if (reason === 'cancelled' || reason === 'handed_over') {
    report.status = reason === 'cancelled' ? 'cancelled' : 'pending';
    return;
  }
  report.status = 'failed';
  // Whatever came of it, such as connections that the other has ended.
  report.error = asRunError(reason === 'fenced' ? fenced() : thrown);
  const { kind, code, hint, message } = report.error;
  const end = thrown instanceof PlacedError ? thrown.place.role : undefined;
  ports.log(kind === 'fenced' ? 'info' : 'error', {
    stream: report.name,
    message,
    data: { kind, code, hint, ...(end && { end }), ...(kind === 'bug' && { trace: traceOf(thrown) }) },
  });
}

function stopReason(signal: AbortSignal): StopReason | undefined {
  return signal.aborted ? (signal.reason as StopReason) : undefined;
}

/** How a run has ended, by what became of its streams. */
export function outcomeOf(streams: readonly { index: number; report: StreamReport }[], signal: AbortSignal): RunOutcome {
  const having = (status: StreamReport['status']): StreamReport[] =>
    streams.map(({ report }) => report).filter((report) => report.status === status);
  const errorOf = ([first]: StreamReport[]): RunError | null => first?.error ?? null;
  const failed = having('failed');
  const waiting = having('needs_approval');
  const reason = stopReason(signal);
  if (having('cancelled').length > 0) return { status: 'cancelled', streams, error: null };
  if (having('pending').length > 0 && reason === 'handed_over') return { status: 'handed_over', streams, error: null };
  if (waiting.length > 0) return { status: 'needs_approval', streams, error: errorOf(waiting) };
  // What needs a person is told before what may heal by itself.
  const worst = failed.filter((report) => report.error?.kind !== 'transient');
  if (failed.length > 0) return { status: 'failed', streams, error: errorOf(worst.length > 0 ? worst : failed) };
  return { status: having('partial').length > 0 ? 'partial' : 'succeeded', streams, error: null };
}

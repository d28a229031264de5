import type { RunOutcome } from '../../../engine/run.ts';
import type { OpenSpan, SpanAttributes, Spans } from '../../../traces/span.ts';
import type { Claimed } from '../queue/claim.ts';
import type { StreamTime } from './run-messages.ts';

const COUNTS = ['read', 'inserted', 'updated', 'deleted', 'rejected'] as const;

/** An attempt of a run as a span, with its streams below. A run may begin long after it was asked for, and on another node: it is a trace of its own. */
export class RunTrace {
  readonly #span: OpenSpan;
  readonly #claimed: Claimed;

  constructor(spans: Spans, claimed: Claimed) {
    this.#span = spans.begin('run', 'internal');
    this.#claimed = claimed;
  }

  get traceparent(): string {
    return this.#span.traceparent;
  }

  streams(times: readonly StreamTime[]): void {
    for (const { start, end, name, target, status, error, ...counts } of times) {
      const attributes = {
        'syncline.stream': name,
        'syncline.stream.target': target,
        'syncline.stream.status': status,
        ...countsOf(counts),
      };
      this.#span.add({ name: 'stream', start, end, attributes, error });
    }
  }

  end({ status, streams, error }: RunOutcome): void {
    const { run, sync } = this.#claimed;
    const totals = Object.fromEntries(COUNTS.map((name) => [name, streams.reduce((sum, { report }) => sum + report[name], 0)]));
    this.#span.end({
      attributes: {
        'syncline.run.id': run.id,
        'syncline.sync.id': sync.id,
        'syncline.run.mode': run.mode,
        'syncline.run.trigger': run.trigger,
        'syncline.run.attempt': run.attempt,
        'syncline.run.status': status,
        ...countsOf(totals as Record<(typeof COUNTS)[number], number>),
      },
      error: status === 'failed' ? (error?.code ?? status) : undefined,
    });
  }
}

function countsOf(counts: Readonly<Record<(typeof COUNTS)[number], number>>): SpanAttributes {
  return Object.fromEntries(COUNTS.map((name) => [`syncline.rows.${name}`, counts[name]]));
}

import type { StreamReport } from '../../../engine/run.ts';
import { spanTime } from '../../../traces/span.ts';
import type { StreamTime } from './run-messages.ts';

/** Notes when the streams of a run begin and end: a report comes at both. */
export class StreamTimes {
  readonly #streams = new Map<number, { start: number; end: number; report: StreamReport }>();

  note(index: number, report: StreamReport): void {
    const end = spanTime();
    const start = this.#streams.get(index)?.start ?? end;
    this.#streams.set(index, { start, end, report });
  }

  /** Without what rows or errors say. */
  all(): StreamTime[] {
    return [...this.#streams.values()].map(({ start, end, report }) => {
      const { name, target, status, read, inserted, updated, deleted, rejected } = report;
      return { start, end, name, target, status, read, inserted, updated, deleted, rejected, error: report.error?.code };
    });
  }
}

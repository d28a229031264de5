import { once } from 'node:events';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** Files that are run one after the other, so many of them side by side. */
export interface Lane {
  files: readonly string[];
  sideBySide: number;
}

interface Options {
  /** In milliseconds, for each file. */
  timeout: number;
  signal: AbortSignal;
}

interface Outcome {
  hasFailed: boolean;
  /** How long each file took. */
  seconds: Map<string, number>;
}

/** Runs the files of all lanes at the same time, and tells of them as if they were one. */
export async function runInLanes(lanes: readonly Lane[], { timeout, signal }: Options): Promise<Outcome> {
  const outcome: Outcome = { hasFailed: false, seconds: new Map() };
  const counts = new Map<string, number>();
  const told = new spec();
  told.pipe(process.stdout, { end: false });
  const isTold = once(told, 'end');
  const began = performance.now();
  let end: unknown;
  await Promise.all(
    lanes.map(async ({ files, sideBySide }) => {
      for await (const event of run({ files, concurrency: sideBySide, timeout, signal, execArgv: ['--test-force-exit'] })) {
        const { type, data } = event;
        if (type === 'test:summary') {
          if (data.file !== undefined) outcome.seconds.set(data.file, data.duration_ms / 1000);
          else {
            // What has failed is told once, when all lanes are over.
            outcome.hasFailed ||= !data.success;
            end = event;
            continue;
          }
        }
        // What each lane counts in the end is added up.
        const [, name, count] = (type === 'test:diagnostic' && data.file === undefined && /^(\w+) ([\d.]+)$/.exec(data.message)) || [];
        if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(count));
        else told.write(event);
      }
    }),
  );
  counts.set('duration_ms', Math.round(performance.now() - began));
  for (const [name, count] of counts)
    told.write({ type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${count}`, level: 'info' } });
  told.write(end);
  told.end();
  await isTold;
  return outcome;
}

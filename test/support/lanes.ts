import { once } from 'node:events';
import { resolve } from 'node:path';
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
  /** Whether an error that no test waits for is told with the test that caused it: that is looked up at every promise, which takes its time. */
  tellsCauses: boolean;
  signal: AbortSignal;
}

interface Outcome {
  hasFailed: boolean;
  /** How long each file took; only of those whose report arrived whole. Those of a bundle are told by their names. */
  seconds: Map<string, number>;
}

/**
 * A file is over when its tests are, whatever it has left open. What it had not handed over of its report by then would be lost when the
 * reader is slow, without a word: so it waits for the reader.
 */
const WHOLE_REPORTS = ['--test-force-exit', '--import=data:text/javascript,process.stdout._handle?.setBlocking?.(true)'];

/** Such an error fails the file all the same, and is told; but the test is not named. */
const NO_CAUSES = `--import=data:text/javascript,${encodeURIComponent(
  "import hooks from 'node:async_hooks'; const { createHook } = hooks; hooks.createHook = (calls) => createHook({ ...calls, trackPromises: false });",
)}`;

/** Runs the files of all lanes at the same time. What they count is told once, and then what has failed. */
export async function runInLanes(lanes: readonly Lane[], { timeout, tellsCauses, signal }: Options): Promise<Outcome> {
  const outcome: Outcome = { hasFailed: false, seconds: new Map() };
  const counts = new Map<string, number>();
  const began = performance.now();
  const execArgv = [...WHOLE_REPORTS, ...(tellsCauses ? [] : [NO_CAUSES])];
  const ends = await Promise.all(
    lanes.map(async ({ files, sideBySide }) => {
      // Each has its own: it remembers which test is inside of which.
      const told = new spec();
      told.pipe(process.stdout, { end: false });
      let end: unknown;
      for await (const event of run({ files, concurrency: sideBySide, timeout, signal, execArgv })) {
        const { type, data } = event;
        const [, name, count] = (type === 'test:diagnostic' && data.file === undefined && /^(\w+) ([\d.]+)$/.exec(data.message)) || [];
        if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(count));
        else if (type === 'test:summary' && data.file === undefined) {
          outcome.hasFailed ||= !data.success;
          end = event;
        } else {
          if (type === 'test:summary' && data.file !== undefined) outcome.seconds.set(data.file, data.duration_ms / 1000);
          if ((type === 'test:pass' || type === 'test:fail') && data.nesting === 0 && data.name.endsWith('.test.ts'))
            outcome.seconds.set(data.name, data.details.duration_ms / 1000);
          told.write(event);
        }
      }
      return { told, end };
    }),
  );
  // The last word of every file's report is its summary: without it, tests may have passed or failed of which nothing is known.
  const cutOff = lanes.flatMap(({ files }) => files).filter((file) => !outcome.seconds.has(resolve(file)));
  outcome.hasFailed ||= cutOff.length > 0;
  counts.set('duration_ms', Math.round(performance.now() - began));
  const all = [...counts].map(([name, count]) => ({
    type: 'test:diagnostic',
    data: { nesting: 0, message: `${name} ${count}`, level: 'info' },
  }));
  for (const [at, { told, end }] of ends.entries()) {
    const isTold = once(told, 'end');
    for (const event of at === 0 ? [...all, end] : [end]) told.write(event);
    told.end();
    await isTold;
  }
  for (const file of cutOff) process.stdout.write(`\n✖ There is no whole report of ${file}: what it has tested is not known.\n`);
  return outcome;
}

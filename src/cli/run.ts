import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { writtenText } from '../engine/written.ts';
import { visible } from '../lib/check.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { amount } from './shown/amounts.ts';
import { readArguments } from './arguments/arguments.ts';
import { type ServiceClient, createClient } from './service/client.ts';
import { CliError, UsageError } from './errors.ts';
import { findOne, SYNCS } from './service/find.ts';
import { explain, pretty, show } from './shown/output.ts';
import { grouped, labelOf, progressLines, type StreamProgress } from './shown/progress-bars.ts';

/** A run as far as the command line shows it. */
export interface WatchedRun {
  id: string;
  mode: string;
  status: string;
  duration_ms: number | null;
  next_attempt_at: string | null;
  streams: (StreamProgress & { changes?: Changes; proof?: Proof })[];
  error: { message: string; hint: string | null } | null;
}

/** What was found of a stream when both ends were compared. */
export interface Proof {
  result: 'equal' | 'differs' | 'changing';
  rows: number;
  missing: number;
  extra: number;
  different: number;
  /** Rows that only the target has, and that the mode leaves there. */
  kept: number;
  digest: string;
}

interface Changes {
  inserted: number;
  updated: number;
  deleted: number;
  unchanged: number;
}

/** What the exit code tells a script. */
const EXIT_CODES: Readonly<Record<string, number>> = { succeeded: 0, partial: 3, needs_approval: 4 };
const OVER = new Set(['succeeded', 'partial', 'failed', 'cancelled', 'needs_approval', 'skipped']);
/** A service that restarts takes the run up again; we wait for it this long. */
const PATIENCE = 60_000;

/** Starts a synchronization and shows how far it is until it is over. */
export async function run(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(
    args,
    {
      full: { type: 'boolean' },
      preview: { type: 'boolean' },
      stream: { type: 'string', multiple: true },
      'no-wait': { type: 'boolean' },
      ...JSON_OPTION,
    },
    ['id or name of the synchronization'],
  );
  if (values.full && values.preview) throw new UsageError('--full and --preview exclude each other.');
  const client = createClient(config);
  const sync = await findOne<{ id: string; name: string }>(client, SYNCS, positionals[0] ?? '');
  const mode = values.full ? 'full' : values.preview ? 'preview' : 'run';
  const { data } = await client.call<{ data: WatchedRun }>('POST', `/api/v1/datasync/sync/${sync.id}/runs`, {
    mode,
    ...(values.stream && { streams: values.stream }),
  });
  if (values['no-wait']) {
    show(values.json ? pretty(data) : `${data.id}\n`);
    return 0;
  }
  const last = await followRun(client, data, values.json === true);
  return EXIT_CODES[last.status] ?? 1;
}

/** Shows how far a run is until it is over, and how it ended. */
export async function followRun(client: ServiceClient, started: WatchedRun, isJson: boolean): Promise<WatchedRun> {
  const screen = isJson ? undefined : new Screen();
  const last = await watch(client, started, (now) => screen?.draw(now));
  if (isJson) show(pretty(last));
  else tell(last);
  return last;
}

/** Hears of the run until it is over, also when the service restarts meanwhile. */
async function watch(client: ServiceClient, started: WatchedRun, seen: (run: WatchedRun) => void): Promise<WatchedRun> {
  let last = started;
  for (let lost: number | undefined; !OVER.has(last.status); ) {
    try {
      for await (const now of runsOf(client, started.id)) {
        lost = undefined;
        last = now;
        seen(now);
        if (OVER.has(now.status)) return now;
      }
    } catch (error) {
      lost ??= Date.now();
      if (Date.now() - lost > PATIENCE || !(error instanceof CliError || error instanceof TypeError)) throw error;
    }
    await sleep(500);
  }
  return last;
}

async function* runsOf(client: ServiceClient, id: string): AsyncGenerator<WatchedRun> {
  for await (const line of client.lines(`/api/v1/datasync/runs/${id}/events`, 'text/event-stream')) {
    if (!line.startsWith('data:')) continue;
    const data = JSON.parse(line.slice('data:'.length)) as Partial<WatchedRun>;
    if (data.status !== undefined && data.streams !== undefined) yield data as WatchedRun;
  }
}

function tell({ id, mode, status, streams, error, duration_ms }: WatchedRun): void {
  for (const stream of streams) {
    const { changes } = stream;
    if (changes)
      explain(
        `${labelOf(stream, streams)}: ${grouped(changes.inserted)} to insert, ${grouped(changes.updated)} to update, ${grouped(changes.deleted)} to delete, ${grouped(changes.unchanged)} unchanged.`,
      );
  }
  for (const stream of streams) if (stream.proof) explain(`${labelOf(stream, streams)}: ${proofWords(stream.proof)}`);
  for (const stream of streams) {
    const { error: fault } = stream;
    if (fault) explain(`${labelOf(stream, streams)}: ${visible([fault.message, fault.hint].filter(Boolean).join(' '))}`);
  }
  // What is said of the run begins with what was said of its stream.
  if (error && !streams.some((stream) => stream.error && error.message.startsWith(stream.error.message)))
    explain(visible([error.message, error.hint].filter(Boolean).join(' ')));
  const rejected = streams.reduce((sum, stream) => sum + stream.rejected, 0);
  if (rejected > 0 && mode === 'preview') explain(`${amount(rejected, 'row')} would be rejected.`);
  else if (rejected > 0) explain(`Rejected: ${amount(rejected, 'row')}. \`syncline rejects list ${id}\` shows what and why.`);
  if (status === 'needs_approval')
    explain(`${visible(writtenText(streams))} \`syncline runs approve ${id}\` lets it go on, \`syncline runs cancel ${id}\` ends it.`);
  explain(`${id}: ${status}${duration_ms === null ? '' : ` after ${(duration_ms / 1000).toFixed(1)} s`}`);
}

function proofWords({ result, rows, missing, extra, different, kept, digest }: Proof): string {
  const found = {
    equal: 'equal',
    differs: `differs: ${grouped(missing)} missing, ${grouped(extra)} extra, ${grouped(different)} different`,
    changing: 'changing: rows that differ change again whenever they are looked at',
  }[result];
  const more = kept > 0 ? `, ${grouped(kept)} more kept at the target` : '';
  return `${found}; ${amount(rows, 'row')}${more}, digest ${digest.slice(0, 16)}.`;
}

/** Draws the bars over the ones before; where there is no terminal, tells each stream once when it is over. */
class Screen {
  readonly #isTerminal = process.stderr.isTTY;
  readonly #told = new Set<string>();
  #lines = 0;

  draw({ streams, status, next_attempt_at }: WatchedRun): void {
    if (!this.#isTerminal) {
      const over = streams.filter(({ target, status: state }) => OVER.has(state) && !this.#told.has(target));
      for (const line of progressLines(over, Number.POSITIVE_INFINITY, streams)) explain(line);
      for (const { target } of over) this.#told.add(target);
      return;
    }
    const waiting =
      status === 'retrying' ? [`It will be tried again at ${next_attempt_at}.`] : status === 'queued' ? ['Waiting for its turn.'] : [];
    const lines = [...progressLines(streams, process.stderr.columns), ...waiting];
    const up = this.#lines > 0 ? `\u001b[${this.#lines}A` : '';
    process.stderr.write(`${up}${lines.map((line) => `\u001b[2K${line}\n`).join('')}\u001b[J`);
    this.#lines = lines.length;
  }
}

import { BATCH_BYTES, type CheckReport, type Context, type Field, type Outline, type Stream } from '../../connectors/contract.ts';
import type { Session } from '../../connectors/session.ts';
import type { ForgetRequest, UndoRequest, UndoResult } from '../../connectors/undo.ts';
import { toJsonText } from '../../connectors/json-values.ts';
import { withDefaults } from '../../connectors/config-values.ts';
import { OutsideError } from '../../outside/errors.ts';
import { loadConnector } from '../../connectors/load.ts';
import { boundLog, releaseLog } from '../../engine/live/release.ts';
import { ownersOf } from '../../engine/owners.ts';
import type { StreamPlan } from '../../engine/plan/plan.ts';
import type { SampleRow } from '../../engine/sample-rows.ts';

/** A question to a system: what the API asks of a source, apart from any run. */
export type Question =
  | { ask: 'check' }
  /** What its configuration tells by itself. */
  | { ask: 'outline' }
  /** With names, those alone are looked at; what is not there is not in the answer. */
  | { ask: 'streams'; names?: readonly string[] }
  | { ask: 'sample'; stream: string; limit: number }
  /** Rows with what a plan makes of them. Expressions of users are computed here as well, bounded in time like everything else. */
  | { ask: 'mapped'; plan: StreamPlan; limit: number }
  /** Lets the system forget what it keeps of its log for a synchronization. */
  | { ask: 'release'; syncId: string }
  /** Where it is that it keeps something of its log; null when it keeps nothing. */
  | { ask: 'identity' }
  /** Lets it do so only when it keeps more than this many bytes. */
  | { ask: 'bound'; syncId: string; most: number }
  /** Undoes a run of a synchronization, or shows what that would do. */
  | ({ ask: 'undo'; token: string } & Omit<UndoRequest, 'owners' | 'token'>)
  /** Lets it forget what it keeps of runs. */
  | ({ ask: 'forget' } & ForgetRequest);

type AskedOfSystem = Exclude<Question, { ask: 'outline' }>;

interface SampleOfStream {
  fields: Field[];
  /** Each a JSON object. */
  rows: string[];
  /** Fields of which some value was too long to be shown whole. */
  truncated: string[];
  /** Why rows could not be read, when some could not. */
  rejects: string[];
}

interface LiveNeeds {
  /** What is missing for its log to be followed; null when it has none. */
  liveNeeds: readonly string[] | null;
}

export interface Answers {
  check: CheckReport & LiveNeeds;
  /** Null of a connector whose configurations tell nothing by themselves. */
  outline: Outline | null;
  streams: Stream[];
  sample: SampleOfStream;
  mapped: SampleRow[];
  release: null;
  identity: string | null;
  /** What it had kept, when that was too much. */
  bound: number | null;
  undo: UndoResult;
  forget: null;
}

// A sample is to be looked at: a row may hold megabytes, and nobody reads those.
const MAX_SHOWN = 4096;
const MAX_SAMPLE = 1024 * 1024;

/** Asks a system one thing, and lets go of it again. */
export async function probe<Ask extends Question>(
  type: string,
  config: unknown,
  context: Context,
  question: Ask,
): Promise<Answers[Ask['ask']]> {
  const connector = await loadConnector(type);
  const filled = withDefaults(connector.manifest.config, config) as never;
  if (question.ask === 'outline') return ((await connector.outline?.(filled, context)) ?? null) as Answers[Ask['ask']];
  const session = await connector.open(filled, context);
  try {
    return (await answer(session, question, context)) as Answers[Ask['ask']];
  } finally {
    await session.close();
  }
}

// What is told goes through the main thread, as a whole: a folder of a thousand wide files would hold it up for seconds.
const MOST_FIELDS = 100_000;

/** Streams, each with no more fields than a person could look through. The rest are told of a stream that is asked for by name. */
export function told(streams: readonly Stream[]): Stream[] {
  let left = MOST_FIELDS;
  return streams.map((stream) => {
    left -= stream.fields.length;
    if (left >= 0 || stream.fields.length === 0) return stream;
    return {
      ...stream,
      fields: [],
      key: [],
      cursors: [],
      note: 'There are too many fields here to tell them all at once. Those of this stream are told with its sample.',
    };
  });
}

async function answer(session: Session, question: AskedOfSystem, context: Context): Promise<Answers[keyof Answers]> {
  if (question.ask === 'check') return { ...(await session.check()), liveNeeds: await liveNeedsOf(session) };
  if (question.ask === 'streams') return told(await session.discover(question.names));
  if (question.ask === 'sample') return sample(session, question, context);
  if (question.ask === 'release') {
    await releaseLog(session, question.syncId);
    return null;
  }
  if (question.ask === 'identity') return (await session.log?.identity?.()) ?? null;
  if (question.ask === 'bound') return (await boundLog(session, question.syncId, question.most)) ?? null;
  if (question.ask === 'undo') return undoRun(session, question);
  if (question.ask === 'forget') {
    await session.undo?.forget(question);
    return null;
  }
  // Loaded when it is first asked for: what knows expressions is large.
  const { sampleRows } = await import('../../engine/sample-rows.ts');
  return sampleRows(session, question.plan, question.limit, context.signal);
}

function undoRun({ undo }: Session, { token, ...asked }: Question & { ask: 'undo' }): Promise<UndoResult> {
  if (!undo) throw new OutsideError('config', 'UNDO_UNABLE', 'This system cannot keep what runs replace.');
  return undo.undo({ ...asked, token: BigInt(token), owners: ownersOf(asked.sync, asked.streams) });
}

/** The connection works, whatever is found here: what cannot even be asked is missing. */
async function liveNeedsOf({ log }: Session): Promise<readonly string[] | null> {
  if (!log) return null;
  try {
    return await log.check();
  } catch (error) {
    if (error instanceof OutsideError) return [error.message];
    throw error;
  }
}

async function sample(
  session: Session,
  { stream: name, limit }: { stream: string; limit: number },
  { signal }: Context,
): Promise<SampleOfStream> {
  const stream = (await session.discover([name])).find((candidate) => candidate.name === name);
  if (!stream)
    throw new OutsideError('config', 'STREAM_MISSING', `There is no stream "${name}".`, {
      hint: 'GET …/streams lists those that are there.',
    });
  const fields = [...stream.fields];
  const rows: string[] = [];
  const rejects: string[] = [];
  const truncated = new Set<string>();
  let bytes = 0;
  const batches = session.read({
    stream: name,
    fields: fields.map((field) => field.name),
    key: stream.key,
    limit,
    batchBytes: BATCH_BYTES / 4,
    signal,
  });
  for await (const batch of batches) {
    for (const { reason } of batch.rejects) if (rejects.length < limit) rejects.push(reason);
    for (const row of batch.rows) {
      if (rows.length >= limit || bytes > MAX_SAMPLE) break;
      const members = fields.map((field, index) => {
        const value = row[index] ?? null;
        const cut = value !== null && value.length > MAX_SHOWN;
        if (cut) truncated.add(field.name);
        return `${JSON.stringify(field.name)}:${cut ? JSON.stringify(`${value.slice(0, MAX_SHOWN)}…`) : toJsonText(field.type, value)}`;
      });
      const json = `{${members.join(',')}}`;
      bytes += json.length;
      rows.push(json);
    }
    if (rows.length + rejects.length >= limit || bytes > MAX_SAMPLE) break;
  }
  return { fields, rows, truncated: [...truncated], rejects };
}

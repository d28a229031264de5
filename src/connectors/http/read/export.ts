import { parseExactly, scalarText } from '../../../lib/exact-json.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { readText } from '../../../outside/http/body.ts';
import type { Answer } from '../../../outside/http/exchange.ts';
import type { Api } from '../api.ts';
import { exportedRecords } from '../answer/exported.ts';
import { openPage, type RecordPage } from '../answer/page.ts';
import { at, fillPath, parsePath } from '../answer/paths.ts';
import { complaintIn } from '../answer/verdict.ts';
import { sleep } from '../client/patience.ts';
import type { Export } from '../config/export.ts';
import { sinceParameter } from './since.ts';
import type { CursorMark } from './mark.ts';
import type { HttpReadPlan } from './plan.ts';
import { pageRequest } from './requests.ts';

const MAX_ANSWER = 4 * 1024 * 1024;
/** After so many milliseconds, a person who looks at a run wants to know what it waits for. */
const WORTH_TELLING = 5000;

/** Starts an export. What it answers is kept in positions: with it the same export is found again. */
export async function startExport(api: Api, plan: HttpReadPlan, since: CursorMark | undefined): Promise<string> {
  const { walked, signal } = plan;
  const job = walked.export as Export;
  const call = pageRequest(api.client, walked, { page: undefined, since: sinceParameter(plan, since), signal });
  const body = await api.client.ask(call, (answer) => judged(api, job, answer, call.method));
  const id = job.id === undefined ? undefined : scalarText(at(body, parsePath(job.id)));
  if (job.id !== undefined && (id === undefined || id === ''))
    throw new OutsideError('config', 'EXPORT_UNKNOWN', `The answer to the start of the export has no id at "${job.id}".`, {
      hint: 'Check `export.id`.',
    });
  return JSON.stringify({ export: id ?? null });
}

/** Waits until an export is ready, and opens its file. `expired` when it is one that was begun before and is gone. */
export async function askExport(api: Api, plan: HttpReadPlan, handle: string, isResumed: boolean): Promise<RecordPage | 'expired'> {
  const { walked, signal } = plan;
  const job = walked.export as Export;
  const id = idIn(handle);
  try {
    // Without an id it cannot be told from another one that was begun meanwhile.
    if (isResumed && id === undefined) throw gone();
    const url = await ready(api, plan, job, id);
    if (url === undefined) return { headers: {}, url: api.client.urlOf(''), records: nothing(), envelope: () => ({}) };
    return await api.client.ask({ method: 'GET', url, signal }, async (answer) => {
      if (answer.status < 200 || answer.status > 299) {
        const isGone = [403, 404, 410].includes(answer.status);
        throw isGone && isResumed ? gone() : await api.client.refusalOf(answer, 'GET');
      }
      if (job.format === 'json')
        return openPage(answer, { path: walked.records === undefined ? undefined : parsePath(walked.records) }, () => {});
      const records = exportedRecords(answer, job, api.config.max_response_mb * 1_000_000);
      return { headers: answer.headers, url: answer.url, records, envelope: () => ({}) };
    });
  } catch (error) {
    if (!isResumed || !(error instanceof OutsideError) || (error.code !== 'EXPORT_GONE' && error.code !== 'PATH_MISSING')) throw error;
    if (!plan.once) return 'expired';
    throw new OutsideError('config', 'POSITION_EXPIRED', `The export is gone in which the read was cut off. ${error.message}`, {
      hint: 'Reset the synchronization, so that it reads from the beginning.',
      cause: error,
    });
  }
}

async function* nothing(): AsyncGenerator<never> {}

function gone(): OutsideError {
  return new OutsideError('transient', 'EXPORT_GONE', 'The export is gone.');
}

function idIn(handle: string): string | undefined {
  try {
    const id = (parseExactly(handle) as { export?: unknown }).export;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Asks how far the export is until there is a file; undefined when nothing was found to export. */
async function ready(api: Api, { walked, signal }: HttpReadPlan, job: Export, id: string | undefined): Promise<URL | undefined> {
  const started = performance.now();
  let hasTold = false;
  for (;;) {
    const call = pollCall(api, job, id, signal);
    const body = await api.client.ask(call, (answer) => judged(api, job, answer, call.method));
    const status = scalarText(at(body, parsePath(job.status)));
    const isOneOf = (words: readonly string[]): boolean => words.some((word) => word.toLowerCase() === status?.toLowerCase());
    if (isOneOf(job.done)) return fileIn(api, job, body);
    if (isOneOf(job.failed) || status === undefined)
      throw new OutsideError(
        status === undefined ? 'config' : 'transient',
        'EXPORT_FAILED',
        status === undefined
          ? `The answer does not say at "${job.status}" how far the export is.`
          : `The API made no export: it is ${api.client.shown(status).slice(0, 100)}.`,
        { hint: status === undefined ? 'Check `export.status`.' : 'Look at the export in the API.' },
      );
    const waited = performance.now() - started;
    if (waited > job.max_minutes * 60_000)
      throw new OutsideError('transient', 'EXPORT_SLOW', `The export was not ready after ${job.max_minutes} minutes.`, {
        hint: 'Look at the export in the API, or raise `export.max_minutes`.',
      });
    if (!hasTold && waited > WORTH_TELLING) {
      hasTold = true;
      api.tell?.('info', `Waits for the export of "${walked.name}", which is ${api.client.shown(status).slice(0, 100)}`);
    }
    await sleep(job.interval_seconds * 1000, signal);
  }
}

function pollCall({ client }: Api, { poll_path, poll_method, poll_graphql }: Export, id: string | undefined, signal: AbortSignal) {
  const path = fillPath(poll_path, () => id);
  if (path === undefined)
    throw new OutsideError('config', 'EXPORT_UNKNOWN', 'The id of the export cannot stand in a path.', { hint: 'Check `export.id`.' });
  const url = client.urlOf(path);
  if (!poll_graphql) return { method: poll_method, url, signal, body: poll_method === 'POST' ? '{}' : undefined };
  const variables: unknown = JSON.parse(poll_graphql.variables ?? '{}', (_, value: unknown) => (value === '{id}' ? id : value));
  return { method: 'POST', url, signal, body: JSON.stringify({ query: poll_graphql.query, variables }) };
}

/** What the API answers about an export; its complaints are thrown. */
async function judged({ client }: Api, job: Export, answer: Answer, method: string): Promise<unknown> {
  if (answer.status < 200 || answer.status > 299) throw await client.refusalOf(answer, method);
  const text = await readText(answer, MAX_ANSWER);
  let body: unknown;
  try {
    body = parseExactly(text);
  } catch {
    throw new OutsideError('config', 'NOT_JSON', `${answer.url.host}${answer.url.pathname} did not answer with JSON about the export.`, {
      hint: 'Check the paths of the stream and of `export`.',
    });
  }
  client.heed(body);
  const complaint = complaintIn(
    body,
    { errors: job.errors, ...(method !== 'GET' && { success: job.success }) },
    (name) => name === 'error',
  );
  if (complaint) throw client.refusalInBody(complaint, answer, method);
  return body;
}

function fileIn({ client }: Api, job: Export, body: unknown): URL | undefined {
  const found = at(body, parsePath(job.url));
  if (found === undefined || found === null || found === '') return undefined;
  const url = typeof found === 'string' ? URL.parse(found, client.urlOf('/')) : null;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new OutsideError('config', 'EXPORT_UNKNOWN', `What should be the address of the file at "${job.url}" is none.`, {
    hint: 'Check `export.url`.',
  });
}

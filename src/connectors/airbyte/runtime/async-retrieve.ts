import { isJsonObject, type JsonObject } from '../../../lib/exact-json.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { bodiesOf, type Decoder, decoderOf } from './decode/decoder.ts';
import { csvRows } from './decode/csv.ts';
import { unpackedGzip } from './decode/gzip.ts';
import { evaluateText, scopeOf } from './evaluate.ts';
import { type Part, partOf, textsAt, typeOf } from './parts.ts';
import { paginatorOf } from './paging/paginator.ts';
import { pythonText } from './python-text.ts';
import { extractorOf } from './records/extract.ts';
import { selectorOf } from './records/selector.ts';
import type { Reply } from './request/reply.ts';
import { requesterOf } from './request/requester.ts';
import type { PageChunk, Reading, Retriever, RetrieverOptions } from './retriever.ts';
import type { AirbyteSession } from './session.ts';
import type { Slice } from './slices/slice.ts';

type Status = 'running' | 'completed' | 'failed' | 'timeout' | 'skipped';
const STATUSES: readonly Status[] = ['running', 'completed', 'failed', 'timeout', 'skipped'];

/** Milliseconds between two looks at a job. */
const POLL = 5000;
const ATTEMPTS = 3;

/** Exports that take their time: a job is made, looked at until it is done, and its files are read. */
export function asyncRetriever(session: AirbyteSession, part: Part, options: RetrieverOptions): Retriever {
  const decoder = decoderOf(session, partOf(part['decoder']));
  const requester = (name: string) => requesterOf(session, partOf(part[name]));
  const optional = (name: string) => (partOf(part[name]) ? requester(name) : undefined);
  const job: JobParts = {
    session,
    decoder,
    creation: requester('creation_requester'),
    polling: requester('polling_requester'),
    targets: optional('download_target_requester'),
    abort: optional('abort_requester'),
    remove: optional('delete_requester'),
    statusOf: statusReader(session, part, decoder),
    targetsIn: part['download_target_extractor'] ? extractorOf(session, partOf(part['download_target_extractor'])) : undefined,
    timeout: (Number(evaluateText(part['polling_job_timeout'] ?? 60, scopeOf(session.config, part))) || 60) * 60_000,
    pause: (Number(evaluateText(part['failed_retry_wait_time_in_seconds'] ?? 0, scopeOf(session.config, part))) || 0) * 1000,
  };
  const selector = selectorOf(session, partOf(part['record_selector']), options);
  const download = downloader(session, part);
  return {
    read: async function* (reading): AsyncGenerator<PageChunk> {
      const { slice, keeps, signal } = reading;
      let before = 0;
      const finished = await jobDone(job, reading);
      for (const target of finished ? await targetsOf(job, finished, reading) : []) {
        const extra = {
          ...slice.extra,
          download_target: target,
          creation_response: finished?.creation,
          polling_response: finished?.polling,
        };
        for await (const found of download({ ...slice, extra }, signal)) {
          const records = selector.make(found, slice, undefined, keeps);
          yield { records, token: undefined, before, isOff: true };
          before += records.length;
        }
      }
      if (finished) await job.remove?.send({ slice: withCreation(slice, finished.creation), signal });
      yield { records: [], token: undefined, before, end: { next: undefined } };
    },
  };
}

interface JobParts {
  session: AirbyteSession;
  decoder: Decoder;
  creation: ReturnType<typeof requesterOf>;
  polling: ReturnType<typeof requesterOf>;
  targets: ReturnType<typeof requesterOf> | undefined;
  abort: ReturnType<typeof requesterOf> | undefined;
  remove: ReturnType<typeof requesterOf> | undefined;
  statusOf: (reply: Reply) => Promise<Status>;
  targetsIn: ReturnType<typeof extractorOf> | undefined;
  timeout: number;
  pause: number;
}

interface Finished {
  creation: JsonObject;
  polling: JsonObject;
  reply: Reply;
}

/** Makes a job and waits until it is done; undefined when there is nothing to fetch. One that fails is made again. */
async function jobDone(job: JobParts, reading: Reading): Promise<Finished | undefined> {
  const { session } = job;
  const { slice, options, signal } = reading;
  for (let attempt = 1; ; attempt++) {
    const created = await job.creation.send({ slice, options: [options], signal });
    const creation = shownReply(created);
    const started = session.clock.now();
    for (;;) {
      const reply = await job.polling.send({ slice: withCreation(slice, creation), signal });
      const status = session.clock.now() - started > job.timeout ? 'timeout' : await job.statusOf(reply);
      if (status === 'completed') return { creation, polling: shownReply(reply), reply };
      if (status === 'skipped') return undefined;
      if (status === 'running') {
        await session.clock.sleep(POLL, signal);
        continue;
      }
      if (status === 'timeout') await job.abort?.send({ slice: withCreation(slice, creation), signal });
      if (attempt >= ATTEMPTS)
        throw new OutsideError('transient', 'EXPORT_FAILED', `${reply.url.host} did not finish an export, ${attempt} times (${status}).`, {
          hint: 'Look at the API what became of its exports.',
        });
      await session.clock.sleep(job.pause, signal);
      break;
    }
  }
}

function withCreation(slice: Slice, creation: JsonObject): Slice {
  return { ...slice, extra: { ...slice.extra, creation_response: creation } };
}

/** An answer as expressions see it. */
function shownReply(reply: Reply): JsonObject {
  const value = reply.json();
  return { headers: reply.shownHeaders, ...(isJsonObject(value) ? value : {}) };
}

function statusReader(session: AirbyteSession, part: Part, decoder: Decoder): JobParts['statusOf'] {
  const extract = extractorOf(session, partOf(part['status_extractor']));
  const mapping = partOf(part['status_mapping']);
  const names = new Map(STATUSES.flatMap((status) => textsAt(mapping, status).map((name) => [name, status] as const)));
  return async (reply) => {
    const [first] = (await bodiesOf(decoder, reply)).flatMap(extract);
    const status = names.get(pythonText(first));
    if (status !== undefined) return status;
    throw new OutsideError(
      'config',
      'STATUS_UNKNOWN',
      `${reply.url.host} has an export with the status "${session.vault.shown(pythonText(first))}", which the manifest does not know.`,
      {
        field: 'manifest',
        hint: 'Add it to `status_mapping` in the manifest.',
      },
    );
  };
}

async function targetsOf(job: JobParts, finished: Finished, { slice, signal }: Reading): Promise<readonly unknown[]> {
  if (!job.targetsIn) return [''];
  const extra = { ...slice.extra, creation_response: finished.creation, polling_response: finished.polling };
  const reply = job.targets ? await job.targets.send({ slice: { ...slice, extra }, signal }) : finished.reply;
  return (await bodiesOf(job.decoder, reply)).flatMap(job.targetsIn);
}

type Download = (slice: Slice, signal: AbortSignal) => AsyncGenerator<readonly unknown[]>;

/** Reads a file, page by page where it has some. */
function downloader(session: AirbyteSession, part: Part): Download {
  const decoder = decoderOf(session, partOf(part['download_decoder']));
  const requester = requesterOf(session, partOf(part['download_requester']));
  const paginator = paginatorOf(session, partOf(part['download_paginator']), decoder);
  const written = partOf(part['download_extractor']);
  const isFile = typeOf(written) === 'ResponseToFileExtractor';
  const extract = extractorOf(session, written ?? { type: 'DpathExtractor', field_path: [] });
  return async function* (slice, signal) {
    for (let token: unknown = paginator.first; ; ) {
      const reply = await requester.send({
        slice,
        token,
        path: paginator.path(token),
        options: [paginator.options(token)],
        streams: decoder.streams || isFile,
        signal,
      });
      let found = 0;
      let last: unknown;
      const bodies = isFile ? fileRows(reply, written?.['preserve_na_values'] === true) : decoder.decode(reply);
      for await (const some of reply.isGood ? bodies : []) {
        const records = some.flatMap(extract);
        found += records.length;
        last = records.at(-1) ?? last;
        yield records;
      }
      token = reply.isGood ? paginator.next({ reply, slice, token, found, given: found, last }) : undefined;
      if (token === undefined) return;
    }
  };
}

/** What Python's pandas takes for nothing. */
const NOTHING = new Set([
  '',
  '#N/A',
  '#N/A N/A',
  '#NA',
  '-1.#IND',
  '-1.#QNAN',
  '-NaN',
  '-nan',
  '1.#IND',
  '1.#QNAN',
  '<NA>',
  'N/A',
  'NA',
  'NULL',
  'NaN',
  'None',
  'n/a',
  'nan',
  'null',
]);

function fileRows(reply: Reply, keepsWords: boolean): AsyncGenerator<unknown[]> {
  return csvRows(unpackedGzip(reply.chunks()), { encoding: 'utf-8', delimiter: ',', nulls: keepsWords ? new Set(['']) : NOTHING });
}

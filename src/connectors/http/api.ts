import type { Context } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { Call, Client } from './client/client.ts';
import type { HttpConfig, HttpStreamConfig } from './config/config.ts';
import type { Answer } from '../../outside/http/exchange.ts';
import { openPage, type RecordPage, type RecordsPath } from './answer/page.ts';
import { parsePath } from './answer/paths.ts';
import type { PlacedField } from './answer/records.ts';
import { complaintIn } from './answer/verdict.ts';
import { methodOf } from './read/requests.ts';
import type { LookedUp } from './write/looked-up.ts';

/** What the parts of a session share. */
export interface Api {
  readonly config: HttpConfig;
  readonly client: Client;
  /** Tells something to those who look at the run. */
  readonly tell: Context['tell'];
  /** Ends with the session. */
  readonly signal: AbortSignal;
  /** Of each stream, where its records are; found once, then kept. */
  readonly places: Map<string, RecordsPath>;
  /** Of each stream whose fields are not declared, what the first page told. */
  readonly inferred: Map<string, Promise<PlacedField[]>>;
  /** What was looked up for writing. */
  readonly found: Map<string, LookedUp>;
}

export function streamOf({ config }: Api, name: string): HttpStreamConfig {
  const stream = config.streams.find((candidate) => candidate.name === name);
  if (stream) return stream;
  throw new OutsideError('config', 'STREAM_MISSING', `There is no stream "${name}".`, {
    field: 'streams',
    hint: `Declared are: ${config.streams
      .map((candidate) => candidate.name)
      .join(', ')
      .slice(0, 500)}.`,
  });
}

function placeOf({ places }: Api, { name, records }: HttpStreamConfig): RecordsPath {
  const place = places.get(name) ?? { path: records === undefined ? undefined : parsePath(records) };
  places.set(name, place);
  return place;
}

/** Asks for a page. */
export function askPage(api: Api, stream: HttpStreamConfig, call: Call): Promise<RecordPage> {
  return api.client.ask(call, (answer) => pageOf(api, stream, answer));
}

/** The page that an answer holds; whatever the API refuses, by its status or in the body, is thrown. */
export async function pageOf(api: Api, stream: HttpStreamConfig, answer: Answer): Promise<RecordPage> {
  const { client } = api;
  if (answer.status < 200 || answer.status > 299) throw await client.refusalOf(answer, methodOf(stream));
  return openPage(answer, placeOf(api, stream), (envelope, isRecord) => {
    client.heed(envelope);
    const isOwn = (name: string): boolean => isRecord && (stream.fields?.some((field) => field.name === name) ?? true);
    const complaint = complaintIn(envelope, stream, isOwn);
    if (complaint) throw client.refusalInBody(complaint, answer, methodOf(stream));
  });
}

/** An error with the stream's name before it: an API has many. */
export function ofStream(error: unknown, { name }: HttpStreamConfig): unknown {
  if (!(error instanceof OutsideError) || error.code === 'ABORTED' || error.message.startsWith('Stream "')) return error;
  const { kind, code, message, hint, field, retryAfter } = error;
  return new OutsideError(kind, code, `Stream "${name}": ${message}`, {
    ...(hint !== undefined && { hint }),
    ...(field !== undefined && { field }),
    ...(retryAfter !== undefined && { retryAfter }),
    cause: error.cause ?? error,
  });
}

import type { CanonicalType } from '../../canonical.ts';
import { BATCH_BYTES, type ReadRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { type Api, streamOf } from '../api.ts';
import type { Incremental, HttpStreamConfig } from '../config/config.ts';
import { orAborted } from '../client/client.ts';
import { fieldsOf } from '../discover.ts';
import { type HttpPosition, readPosition } from './position.ts';
import { parsePath } from '../answer/paths.ts';
import type { PlacedField } from '../answer/records.ts';
import { cursorOf, type Descent, descentOf, walkedStream } from './children.ts';

/** A read request, understood. */
export interface HttpReadPlan {
  readonly stream: HttpStreamConfig;
  /** The stream whose pages are read: itself, or the one that it comes from. */
  readonly walked: HttpStreamConfig;
  readonly descent: Descent | undefined;
  /** The fields of the key, in the order of the request's. */
  readonly key: readonly PlacedField[];
  /** A row must not come twice. */
  readonly once: boolean;
  /** Those that are asked for, in their order. */
  readonly fields: readonly PlacedField[];
  /** All members that a record may have; undefined when any is welcome. */
  readonly known: ReadonlySet<string> | undefined;
  readonly cursor: Cursor | undefined;
  readonly progress: HttpPosition;
  readonly signal: AbortSignal;
  readonly batchBytes: number;
  readonly batchRows: number;
  readonly limit: number;
}

export interface Cursor {
  /** How it is called in the request. */
  readonly name: string;
  readonly incremental: Incremental;
  /** In the records of the pages that are read. */
  readonly field: PlacedField;
  readonly type: CanonicalType;
}

export async function planOf(api: Api, request: ReadRequest): Promise<HttpReadPlan> {
  const stream = streamOf(api, request.stream);
  if (stream.path === undefined && stream.from?.list === undefined)
    throw new OutsideError('config', 'STREAM_NOT_READABLE', 'It is declared for writing only.', {
      field: 'streams',
      hint: 'Give it a `path` to read from.',
    });
  if (request.filters?.length)
    throw new OutsideError('config', 'FILTERS_UNSUPPORTED', 'An API cannot filter for us.', {
      hint: 'Use the parameters of the API in the `params` of the stream.',
    });
  const walked = walkedStream(api, stream);
  const cursorConfig = incrementalOf(api, stream, request.cursor);
  const progress =
    request.after === undefined ? START : readPosition(request.after, { stream, walked }, request.cursor, api.client.urlOf('/').origin);
  const signal = request.signal ? AbortSignal.any([api.signal, request.signal]) : api.signal;
  const all = await orAborted(fieldsOf(api, stream), signal);
  const find = (name: string): PlacedField => {
    const field = all.find((candidate) => candidate.name === name);
    if (field) return field;
    throw new OutsideError('config', 'FIELD_MISSING', `There is no field "${name}".`, {
      hint: stream.fields ? 'Declare it in `fields`.' : 'The first page has no such field; declare it in `fields` if it is there at times.',
    });
  };
  const byName = new Map(all.map((field) => [field.name, field]));
  const cursorField = cursorConfig && request.cursor !== undefined ? placedIn(walked, cursorConfig.field, find(request.cursor)) : undefined;
  return {
    stream,
    walked,
    descent: descentOf(api, stream),
    key: request.key.flatMap((name) => byName.get(name) ?? []),
    once: request.once ?? false,
    fields: request.fields.map((name) => byName.get(name) ?? find(name)),
    known: stream.fields || stream.new_fields === 'ignore' ? undefined : new Set(byName.keys()),
    cursor: cursorConfig &&
      cursorField && { name: request.cursor ?? '', incremental: cursorConfig, field: cursorField, type: cursorField.type },
    progress,
    signal,
    batchBytes: request.batchBytes ?? BATCH_BYTES,
    batchRows: request.batchRows ?? Number.POSITIVE_INFINITY,
    limit: request.limit ?? Number.POSITIVE_INFINITY,
  };
}

const START: HttpPosition = { skip: 0, isDone: false };

/** Of a stream that comes from another, the cursor is found in the other's records. */
function placedIn(walked: HttpStreamConfig, name: string, field: PlacedField): PlacedField {
  const declared = walked.fields?.find((candidate) => candidate.name === name);
  return { ...field, path: declared?.path === undefined ? [name] : parsePath(declared.path) };
}

function incrementalOf(api: Api, stream: HttpStreamConfig, cursor: string | undefined): Incremental | undefined {
  if (cursor === undefined) return undefined;
  const { incremental } = walkedStream(api, stream);
  const known = cursorOf(api, stream);
  if (known === cursor) return incremental;
  throw new OutsideError('config', 'CURSOR_UNSUPPORTED', `It cannot be read incrementally by "${cursor}".`, {
    hint: incremental
      ? known === undefined
        ? `Give it "${incremental.field}" of "${stream.from?.stream}" by \`from.fields\`.`
        : `Use "${known}", for which a parameter is declared.`
      : 'Declare `incremental` with the parameter of the API that asks for what is new.',
  });
}

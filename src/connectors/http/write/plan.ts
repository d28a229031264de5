import type { WriteRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { type Api, streamOf } from '../api.ts';
import { bodyAround, recordWriter } from './body.ts';
import type { HttpStreamConfig, WriteConfig } from '../config/config.ts';
import { parsePath, placeholders } from '../answer/paths.ts';
import type { Row, Value } from '../../canonical.ts';

/** A write request, understood. */
export interface WritePlan {
  readonly stream: HttpStreamConfig;
  readonly write: WriteConfig;
  readonly request: WriteRequest;
  readonly json: (row: Row) => string;
  /** The body around a record, or around a list of them. */
  readonly around: (text: string) => string;
  /** The value of a field in a row that is written. */
  readonly value: (row: Row, name: string) => Value | undefined;
  /** Whether a record that is written has a field of this name. */
  readonly isField: (name: string) => boolean;
  readonly signal: AbortSignal;
}

export function writePlanOf(api: Api, request: WriteRequest): WritePlan {
  const stream = streamOf(api, request.stream);
  const { write } = stream;
  if (!write)
    throw new OutsideError('config', 'STREAM_READ_ONLY', 'It is declared for reading only.', {
      field: 'streams',
      hint: 'Declare `write` with the path and the method of the API.',
    });
  if (!(write.modes as readonly string[]).includes(request.mode))
    throw new OutsideError('config', 'MODE_UNSUPPORTED', `It cannot be written in the mode "${request.mode}".`, {
      hint: `It is declared for: ${write.modes.join(', ')}. An API cannot be mirrored.`,
    });
  if (request.mode === 'upsert' && request.key.length === 0)
    throw new OutsideError('config', 'KEY_MISSING', 'Without a key, records cannot be changed.', { hint: 'Name the key of the stream.' });
  const index = new Map(request.fields.map((field, at) => [field.name, at]));
  const declared = stream.fields && new Map(stream.fields.map((field) => [field.name, field]));
  const missing = [
    ...request.fields.filter((field) => declared && !declared.has(field.name)).map(({ name }) => [name, 'Declare it in `fields`.']),
    ...placeholders(write.path)
      .filter((name) => !index.has(name))
      .map((name) => [name, 'The path needs it; write it too.']),
    ...request.key.filter((name) => !index.has(name)).map((name) => [name, 'The key needs it; write it too.']),
  ];
  for (const [name, hint = ''] of missing) throw new OutsideError('config', 'FIELD_MISSING', `There is no field "${name}".`, { hint });
  const places = new Map((stream.fields ?? []).flatMap(({ name, path }) => (path === undefined ? [] : [[name, parsePath(path)]])));
  const without = new Set(write.path_fields === 'omit' ? placeholders(write.path) : []);
  return {
    stream,
    write,
    request,
    json: recordWriter({ fields: request.fields, places, without, omitsNulls: write.nulls === 'omit' }),
    around: bodyAround(write.wrapper, write.body),
    isField: (name) => index.has(name),
    value: (row, name) => row[index.get(name) ?? -1],
    signal: request.signal ? AbortSignal.any([api.signal, request.signal]) : api.signal,
  };
}

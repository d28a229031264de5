import type { WriteRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { type Api, streamOf } from '../api.ts';
import { bodyAround, recordWriter } from './body.ts';
import type { HttpStreamConfig, WriteConfig } from '../config/config.ts';
import { parsePath, placeholders } from '../answer/paths.ts';
import type { CanonicalType, Row, Value } from '../../canonical.ts';
import { mutationOf } from './graphql.ts';
import { type LookingUp, plainOf } from './lookups.ts';

/** A write request, understood. */
export interface WritePlan {
  readonly stream: HttpStreamConfig;
  readonly write: WriteConfig;
  readonly request: WriteRequest;
  /** What a row holds: the fields of the request, and what is looked up. */
  readonly fields: ReadonlyMap<string, { index: number; type: CanonicalType }>;
  readonly json: (row: Row) => string;
  /** What is sent of one record, whatever goes along with it in the same request. */
  readonly alone: (item: { json: string; row: Row }) => string;
  /** The body of a request with some records. */
  readonly body: (items: readonly { json: string; row: Row }[]) => string;
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
  const looked = new Set(write.lookups.map(({ into }) => into));
  const fields = [...request.fields, ...write.lookups.map(({ into }) => ({ name: into, type: 'json' as const, nullable: false }))];
  const declared = stream.fields && new Map(stream.fields.map((field) => [field.name, field]));
  const missing = [
    ...request.fields.filter((field) => declared && !declared.has(field.name)).map(({ name }) => [name, 'Declare it in `fields`.']),
    ...[...placeholders(write.path), ...write.lookups.map(({ field }) => field), ...variablesOf(write)]
      .filter((name) => !index.has(name) && !looked.has(name))
      .map((name) => [name, 'The path needs it; write it too.']),
    ...request.key.filter((name) => !index.has(name)).map((name) => [name, 'The key needs it; write it too.']),
  ];
  for (const [name, hint = ''] of missing) throw new OutsideError('config', 'FIELD_MISSING', `There is no field "${name}".`, { hint });
  const places = new Map((stream.fields ?? []).flatMap(({ name, path }) => (path === undefined ? [] : [[name, parsePath(path)]])));
  const without = new Set([
    ...(write.path_fields === 'omit' ? placeholders(write.path) : []),
    ...write.lookups.flatMap(({ field, field_is }) => (field_is === 'left out' ? [field] : [])),
  ]);
  const byName = new Map(fields.map(({ name, type }, at) => [name, { index: at, type }]));
  return {
    stream,
    write,
    request,
    fields: byName,
    json: recordWriter({ fields, places, without, omitsNulls: write.nulls === 'omit' }),
    ...bodiesOf(write, byName),
    isField: (name) => index.has(name),
    value: (row, name) =>
      row[index.get(name) ?? -1] ?? (looked.has(name) ? plainOf(row[fields.findIndex((field) => field.name === name)]) : undefined),
    signal: request.signal ? AbortSignal.any([api.signal, request.signal]) : api.signal,
  };
}

/** The fields that a mutation needs. */
function variablesOf({ graphql }: WriteConfig): string[] {
  return (graphql?.variables ?? []).flatMap(({ field }) => field ?? []);
}

function bodiesOf(write: WriteConfig, fields: WritePlan['fields']): Pick<WritePlan, 'alone' | 'body'> {
  const { graphql, wrapper, body, batch_size } = write;
  if (graphql) return { alone: (item) => mutationOf(graphql, [item], fields), body: (items) => mutationOf(graphql, items, fields) };
  const around = bodyAround(wrapper, body);
  return {
    alone: ({ json }) => around(json),
    body: (items) => around(batch_size === 1 ? (items[0]?.json ?? '') : `[${items.map(({ json }) => json).join(',')}]`),
  };
}

export function lookingUp({ stream, write, signal, value }: WritePlan): LookingUp {
  return { stream, lookups: write.lookups, parallel: write.parallel, signal, value };
}

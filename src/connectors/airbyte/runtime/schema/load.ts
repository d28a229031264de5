import { evaluateTexts, holds, scopeOf } from '../evaluate.ts';
import { manifestFault, type Part, partOf, partsOf, textAt, typeOf } from '../parts.ts';
import { valueAt } from '../records/dpath.ts';
import { transformOf } from '../records/transform.ts';
import { noOptions } from '../request/options.ts';
import type { Retriever } from '../retriever.ts';
import type { AirbyteSession } from '../session.ts';
import { WHOLE } from '../slices/slice.ts';

type MakeRetriever = (part: Part) => Retriever;

/** The JSON Schema of a stream, wherever it is; undefined when the manifest has none. */
export async function loadSchema(
  session: AirbyteSession,
  stream: Part,
  makeRetriever: MakeRetriever,
  signal: AbortSignal,
): Promise<Part | undefined> {
  const loaders = partsOf(stream['schema_loader']);
  let all: Part | undefined;
  for (const loader of loaders) {
    const schema = await schemaOf(session, loader, makeRetriever, signal);
    if (schema) all = all ? joined(all, schema) : schema;
  }
  return all;
}

function joined(a: Part, b: Part): Part {
  return { ...a, ...b, properties: { ...partOf(a['properties']), ...partOf(b['properties']) } };
}

async function schemaOf(
  session: AirbyteSession,
  loader: Part,
  makeRetriever: MakeRetriever,
  signal: AbortSignal,
): Promise<Part | undefined> {
  switch (typeOf(loader)) {
    case 'InlineSchemaLoader':
      return partOf(loader['schema']);
    case 'DynamicSchemaLoader':
      return dynamicSchema(session, loader, makeRetriever, signal);
    // Files beside the manifest are not there; the records tell what they are.
    default:
      return undefined;
  }
}

const TYPES: Readonly<Record<string, Part>> = {
  string: { type: ['null', 'string'] },
  boolean: { type: ['null', 'boolean'] },
  date: { type: ['null', 'string'], format: 'date' },
  timestamp_without_timezone: { type: ['null', 'string'], format: 'date-time', airbyte_type: 'timestamp_without_timezone' },
  timestamp_with_timezone: { type: ['null', 'string'], format: 'date-time' },
  time_without_timezone: { type: ['null', 'string'], format: 'time', airbyte_type: 'time_without_timezone' },
  time_with_timezone: { type: ['null', 'string'], format: 'time', airbyte_type: 'time_with_timezone' },
  integer: { type: ['null', 'integer'] },
  number: { type: ['null', 'number'] },
  array: { type: ['null', 'array'] },
  object: { type: ['null', 'object'] },
};

/** A schema that the API itself tells, by a request of its own. */
async function dynamicSchema(session: AirbyteSession, loader: Part, makeRetriever: MakeRetriever, signal: AbortSignal): Promise<Part> {
  const identifier = partOf(loader['schema_type_identifier']) ?? {};
  const scope = scopeOf(session.config, loader);
  const pointer = (name: string): string[] => evaluateTexts(Array.isArray(identifier[name]) ? identifier[name] : [], scope);
  const record = await firstRecord(makeRetriever(partOf(loader['retriever']) ?? {}), signal);
  const [schemaPointer, keyPointer, typePointer] = [pointer('schema_pointer'), pointer('key_pointer'), pointer('type_pointer')];
  const described = record === undefined ? [] : schemaPointer.length === 0 ? record : valueAt(record, schemaPointer);
  const properties: Record<string, unknown> = {};
  for (const property of Array.isArray(described) ? described : Object.values(partOf(described) ?? {})) {
    const key = keyPointer.length === 0 ? property : valueAt(property, keyPointer);
    if (typeof key !== 'string')
      throw manifestFault('SCHEMA_INVALID', 'The API describes a field without a name.', 'Check `key_pointer` in the manifest.');
    const raw = typePointer.length === 0 ? 'string' : (valueAt(property, typePointer) ?? 'string');
    properties[key] = typeFor(raw, property, identifier, session);
  }
  const filter = textAt(partOf(loader['schema_filter']), 'condition');
  const kept = filter
    ? Object.fromEntries(Object.entries(properties).filter(([name, type]) => holds(filter, scope, { record: { [name]: type } })))
    : properties;
  for (const transformation of partsOf(loader['schema_transformations'])) transformOf(session, transformation)(kept, {});
  return { type: 'object', additionalProperties: true, properties: kept };
}

async function firstRecord(retriever: Retriever, signal: AbortSignal): Promise<Part | undefined> {
  for await (const { records } of retriever.read({ slice: WHOLE, options: noOptions(), signal })) if (records[0]) return records[0];
  return undefined;
}

function typeFor(raw: unknown, property: unknown, identifier: Part, session: AirbyteSession): Part {
  const maps = partsOf(identifier['types_mapping']);
  const found = maps.find((map) => {
    const condition = map['condition'];
    return (
      JSON.stringify(map['current_type']) === JSON.stringify(raw) &&
      (condition === undefined || condition === null || holds(condition, scopeOf(session.config, map), { raw_schema: property }))
    );
  });
  return typeNamed(found ? found['target_type'] : raw);
}

function typeNamed(target: unknown): Part {
  if (Array.isArray(target) && target.length === 2) return { oneOf: target.map(typeNamed) };
  const complex = partOf(target);
  if (complex)
    return { ...typeNamed(complex['field_type']), ...(complex['items'] !== undefined && { items: typeNamed(complex['items']) }) };
  return TYPES[String(target)] ?? TYPES['string'] ?? {};
}

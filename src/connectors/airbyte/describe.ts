import type { JsonObject } from '../../lib/exact-json.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { CanonicalType } from '../canonical.ts';
import { CHECK_TIMEOUT, type Stream } from '../contract.ts';
import { demandFields } from '../field-limits.ts';
import { typeOfJson, widen } from '../json-values.ts';
import { type Described, nameOf } from './described.ts';
import type { OpenManifest } from './open.ts';
import { ofStream } from './of-stream.ts';
import { evaluateText, scopeOf } from './runtime/evaluate.ts';
import { type Part, partOf, typeOf } from './runtime/parts.ts';
import { StreamRun } from './runtime/run.ts';
import { fieldsOf } from './runtime/schema/fields.ts';
import { loadSchema } from './runtime/schema/load.ts';
import type { AirbyteSession } from './runtime/session.ts';
import { openStream, retrieverOf } from './runtime/stream.ts';

/** The part that tells most of a stream: of one with two ways to be read, the full one, unless only the other has it. */
function mainPart(part: Part): Part {
  return typeOf(part) === 'StateDelegatingStream' ? (partOf(part['full_refresh_stream']) ?? {}) : part;
}

/** The field by which what is new is found, where the manifest names one. */
export function cursorFieldOf(session: AirbyteSession, part: Part): string | undefined {
  const incremental = typeOf(part) === 'StateDelegatingStream' ? (partOf(part['incremental_stream']) ?? {}) : part;
  const sync = partOf(incremental['incremental_sync']);
  if (!sync) return undefined;
  const field = evaluateText(sync['cursor_field'], scopeOf(session.config, sync));
  return field === '' ? undefined : field;
}

/** The paths of the key: a name, several names, or several paths. */
function keyPathsOf(part: Part): string[][] {
  const written = mainPart(part)['primary_key'];
  if (typeof written === 'string') return written === '' ? [] : [[written]];
  if (!Array.isArray(written)) return [];
  return written
    .map((entry) => (Array.isArray(entry) ? entry.map(String) : [String(entry)]))
    .filter((path) => path.length > 0 && path[0] !== '');
}

// Of the ten seconds of a discovery, these are for the API.
const MAX_TIME = CHECK_TIMEOUT - 1500;
const AT_ONCE = 4;

/** The streams that can be read, with their fields. */
export async function discover(manifest: OpenManifest, names: readonly string[] | undefined): Promise<Stream[]> {
  const { readable, unreadable } = await manifest.streams();
  const isWanted = (name: string): boolean => names === undefined || names.includes(name);
  const all = readable.filter((part) => isWanted(nameOf(part)));
  const signal = AbortSignal.any([manifest.session.signal, AbortSignal.timeout(MAX_TIME)]);
  const streams: Stream[] = [];
  for (let i = 0; i < all.length; i += AT_ONCE)
    streams.push(...(await Promise.all(all.slice(i, i + AT_ONCE).map((part) => streamOf(manifest, part, signal, all.length > 1)))));
  const unusable = [...unreadable.values()].filter(({ name }) => isWanted(name)).map(({ name, reason }) => unusableStream(name, reason));
  return [...streams, ...unusable];
}

function unusableStream(name: string, reason: string): Stream {
  return { name, kind: 'resource', fields: [], key: [], cursors: [], writable: false, estimatedRows: null, unusable: reason };
}

async function streamOf(manifest: OpenManifest, part: Part, signal: AbortSignal, isOneOfMany: boolean): Promise<Stream> {
  const { session } = manifest;
  const name = nameOf(part);
  const told = {
    name,
    kind: 'resource' as const,
    key: keyPathsOf(part).map((path) => path.join('.')),
    writable: false,
    estimatedRows: null,
  };
  try {
    const { fields } = await describeStream(manifest, part, signal);
    const cursor = cursorFieldOf(session, part);
    const cursors = cursor !== undefined && fields.some((field) => field.name === cursor) ? [cursor] : [];
    return { ...told, fields: fields.map(({ name: own, type, nullable }) => ({ name: own, type, nullable })), cursors };
  } catch (error) {
    if (session.signal.aborted) throw error;
    const reason = signal.aborted ? slowStream(error) : error;
    // One stream that is out of order does not hide the others.
    if (!isOneOfMany || !(reason instanceof OutsideError)) throw ofStream(reason, name);
    return { ...told, fields: [], cursors: [], note: reason.message };
  }
}

function slowStream(cause: unknown): OutsideError {
  return new OutsideError(
    'transient',
    'TIMEOUT',
    `No records came within ${MAX_TIME / 1000} s, and the manifest does not say which fields there are.`,
    {
      hint: 'Look at this stream alone, or later.',
      cause,
    },
  );
}

/** The fields and the key of a stream: by its schema, or by its first records. */
export function describeStream(manifest: OpenManifest, part: Part, signal: AbortSignal): Promise<Described> {
  const known = manifest.described.get(nameOf(part));
  if (known) return known;
  const describing = describeNow(manifest, part, signal);
  manifest.described.set(nameOf(part), describing);
  // What failed once is asked again.
  describing.catch(() => manifest.described.delete(nameOf(part)));
  return describing;
}

async function describeNow({ session }: OpenManifest, part: Part, signal: AbortSignal): Promise<Described> {
  const main = mainPart(part);
  const key = keyPathsOf(part);
  const plain = { transforms: [], transformsFirst: false, schema: () => undefined, isParent: true };
  const schema = await loadSchema(session, main, (inner) => retrieverOf(session, inner, plain), signal);
  const hasFields = Object.keys(partOf(schema?.['properties']) ?? {}).length > 0;
  const described = fieldsOf(schema && hasFields ? schema : await sampledSchema(session, main, signal), key);
  const cursor = cursorFieldOf(session, part);
  const fields =
    cursor === undefined || described.some(({ name }) => name === cursor)
      ? described
      : [...described, { name: cursor, type: 'text' as const, nullable: true, path: [cursor] }];
  demandFields(
    fields.map(({ name }) => name),
    nameOf(part),
  );
  return { fields, key: key.map((path) => path.join('.')) };
}

const SAMPLE = 500;

/** A schema made of the first records. */
async function sampledSchema(session: AirbyteSession, part: Part, signal: AbortSignal): Promise<Part> {
  const types = new Map<string, CanonicalType | undefined>();
  let count = 0;
  const run = new StreamRun(openStream(session, part), { state: {}, after: undefined, signal });
  for await (const { records } of run.chunks()) {
    for (const record of records)
      for (const [name, value] of Object.entries(record)) types.set(name, widen(types.get(name), typeOfJson(value)));
    count += records.length;
    if (count >= SAMPLE) break;
  }
  return { properties: Object.fromEntries([...types].map(([name, type]) => [name, schemaFor(type)])) };
}

function schemaFor(type: CanonicalType | undefined): JsonObject {
  switch (type) {
    case 'int64':
      return { type: 'integer' };
    case 'decimal':
    case 'float64':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'json':
      return { type: 'object' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'timestamptz':
      return { type: 'string', format: 'date-time' };
    case 'timestamp':
      return { type: 'string', format: 'date-time', airbyte_type: 'timestamp_without_timezone' };
    default:
      return { type: 'string' };
  }
}

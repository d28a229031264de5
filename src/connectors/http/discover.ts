import type { JsonObject } from '../../lib/exact-json.ts';
import type { Intake, Stream } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { demandFields } from '../field-limits.ts';
import { type Api, ofStream } from './api.ts';
import type { HttpStreamConfig } from './config/config.ts';
import { pathText, placeholders } from './answer/paths.ts';
import { declaredFields, inferFields, type PlacedField } from './answer/records.ts';
import { cursorOf } from './read/children.ts';
import { firstRecords } from './read/first-records.ts';

const SAMPLE_RECORDS = 500;
const SAMPLE_BYTES = 4 * 1024 * 1024;
const AT_ONCE = 4;

/** The streams as they are declared; what is not declared is taken from their first page. */
export async function discover(api: Api, names: readonly string[] | undefined): Promise<Stream[]> {
  const chosen = api.config.streams.filter(({ name }) => names === undefined || names.includes(name));
  const streams: Stream[] = [];
  for (let i = 0; i < chosen.length; i += AT_ONCE)
    streams.push(...(await Promise.all(chosen.slice(i, i + AT_ONCE).map((stream) => describe(api, stream, chosen.length > 1)))));
  return streams;
}

async function describe(api: Api, stream: HttpStreamConfig, isOneOfMany: boolean): Promise<Stream> {
  const { name, key, write } = stream;
  api.inferred.delete(name);
  const told = {
    name,
    kind: 'resource' as const,
    key,
    writable: write !== undefined,
    estimatedRows: null,
    ...takenBy(stream),
    ...((stream.deleted ?? stream.deletions) && { tellsDeletions: true as const }),
  };
  const cursor = cursorOf(api, stream);
  const cursors = cursor === undefined ? [] : [cursor];
  try {
    const fields = await fieldsOf(api, stream);
    const place = api.places.get(name);
    const isGuess = stream.records === undefined && place?.path !== undefined;
    return {
      ...told,
      fields: fields.map(({ name, type, nullable }) => ({ name, type, nullable })),
      cursors,
      ...(isGuess && { note: `The records are taken from ${pathText(place.path ?? [])}; say so with \`records\` to make it certain.` }),
    };
  } catch (error) {
    // One stream that is out of order does not hide the others.
    if (!isOneOfMany || !(error instanceof OutsideError) || error.code === 'ABORTED' || api.signal.aborted) throw error;
    return { ...told, fields: [], cursors, note: error.message };
  }
}

/** What may be written, as it is declared. */
function takenBy({ fields, write }: HttpStreamConfig): { takes?: Intake } {
  if (!write) return {};
  const { modes, path, delete_path, graphql_delete, lookups } = write;
  const looked = new Set(lookups.map(({ into }) => into));
  const needed = [...placeholders(path), ...(write.graphql?.variables ?? []).flatMap(({ field }) => field ?? [])];
  const needs = [...new Set([...needed.filter((name) => !looked.has(name)), ...lookups.map(({ field }) => field)])];
  const known = fields && { fields: fields.map(({ name }) => name) };
  return { takes: { modes, ...known, needs, deletes: delete_path !== undefined || graphql_delete !== undefined } };
}

/** The fields of a stream, declared or inferred. */
export async function fieldsOf(api: Api, stream: HttpStreamConfig): Promise<readonly PlacedField[]> {
  if (stream.fields) return declaredFields(stream.fields, stream.key);
  if (stream.path === undefined && !stream.from) return [];
  const known = api.inferred.get(stream.name);
  if (known) return known;
  const inferring = sample(api, stream).then((records) => {
    demandFields([...new Set(records.flatMap((record) => Object.keys(record)))], stream.name);
    return inferFields(records, stream.key);
  });
  api.inferred.set(stream.name, inferring);
  // What failed once is asked again.
  inferring.catch(() => api.inferred.delete(stream.name));
  return inferring;
}

/** Some records of the first page. */
async function sample(api: Api, stream: HttpStreamConfig): Promise<JsonObject[]> {
  const records: JsonObject[] = [];
  let bytes = 0;
  try {
    for await (const { record, size } of firstRecords(api, stream, { signal: api.signal })) {
      if (record) records.push(record);
      bytes += size;
      if (records.length >= SAMPLE_RECORDS || bytes >= SAMPLE_BYTES) break;
    }
  } catch (error) {
    throw ofStream(error, stream);
  }
  return records;
}

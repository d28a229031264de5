import { isJsonObject, type JsonObject } from '../../../lib/exact-json.ts';
import { type Api, pageOf, streamOf } from '../api.ts';
import { at, parsePath, type Path } from '../answer/paths.ts';
import type { FoundRecord } from '../answer/found-record.ts';
import type { Sized } from './gathered.ts';
import type { HttpStreamConfig } from '../config/config.ts';
import { pageRequest } from './requests.ts';
import type { PageStart } from './paging.ts';
import type { RecordPage } from '../answer/page.ts';

/** How a stream comes from the records of another. */
export interface Descent {
  /** The other. */
  readonly parent: HttpStreamConfig;
  /** Where its records hold a list of ours; undefined when they are asked for, record by record. */
  readonly list: Path | undefined;
  /** What ours get from it. */
  readonly fields: readonly { name: string; path: Path }[];
  /** What ours are asked for with. */
  readonly params: readonly { name: string; path: Path }[];
}

export function descentOf(api: Api, { from }: HttpStreamConfig): Descent | undefined {
  if (!from) return undefined;
  const placed = (taken: readonly { name: string; path: string }[]) => taken.map(({ name, path }) => ({ name, path: parsePath(path) }));
  return {
    parent: streamOf(api, from.stream),
    list: from.list === undefined ? undefined : parsePath(from.list),
    fields: placed(from.fields),
    params: placed(from.params),
  };
}

/** The stream whose pages are read for this one. */
export function walkedStream(api: Api, stream: HttpStreamConfig): HttpStreamConfig {
  return stream.from ? streamOf(api, stream.from.stream) : stream;
}

/** The field by which a stream is read incrementally: its own, or what it gets of the other stream's. */
export function cursorOf(api: Api, stream: HttpStreamConfig): string | undefined {
  if (!stream.from) return stream.incremental?.field;
  const parent = streamOf(api, stream.from.stream);
  if (!parent.incremental) return undefined;
  const { field } = parent.incremental;
  const place = parent.fields?.find(({ name }) => name === field)?.path ?? field;
  const path = JSON.stringify(parsePath(place));
  return stream.from.fields.find((taken) => JSON.stringify(parsePath(taken.path)) === path)?.name;
}

/** A record of ours, with what it gets from the other. */
export function inherited(child: JsonObject, parent: JsonObject, { fields }: Descent): JsonObject {
  const record: JsonObject = { ...child };
  for (const { name, path } of fields) {
    const value = at(parent, path);
    Object.defineProperty(record, name, { value: value ?? null, enumerable: true, writable: true, configurable: true });
  }
  return record;
}

/** The list in a record of the other stream. What is no object is no record, which is told by undefined in its place. */
export function listedIn(parent: JsonObject, list: Path): (JsonObject | undefined)[] {
  const found = at(parent, list);
  if (found === undefined || found === null) return [];
  return (Array.isArray(found) ? found : [found]).map((child: unknown) => (isJsonObject(child) ? child : undefined));
}

/** What ours are asked for with, of one record of the other. */
export function givenBy(parent: JsonObject, { params }: Descent): ReadonlyMap<string, unknown> {
  return new Map(params.map(({ name, path }) => [name, at(parent, path)]));
}

/** A page of the records that belong to one of the other stream; undefined when that is gone. */
export function askChildren(
  api: Api,
  stream: HttpStreamConfig,
  {
    page,
    given,
    signal,
    isAside = false,
  }: { page: PageStart | undefined; given: ReadonlyMap<string, unknown>; signal: AbortSignal; isAside?: boolean },
): Promise<RecordPage | undefined> {
  const call = { ...pageRequest(api.client, stream, { page, since: undefined, signal, given }), isAside };
  return api.client.ask(call, async (answer) => {
    if (answer.status !== 404 && answer.status !== 410) return pageOf(api, stream, answer);
    answer.discard();
    return undefined;
  });
}

/** So that a child's size is counted without its text, which nobody has written. */
export function shareOf({ size }: FoundRecord, count: number): Sized {
  return { size: Math.ceil(size / Math.max(count, 1)) };
}

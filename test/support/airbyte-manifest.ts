import { discover as describeAll } from '../../src/connectors/airbyte/describe.ts';
import { check as checkManifest } from '../../src/connectors/airbyte/check.ts';
import { openManifest, type OpenManifest } from '../../src/connectors/airbyte/open.ts';
import { read as readStream } from '../../src/connectors/airbyte/read.ts';
import type { WaitingClock } from '../../src/connectors/airbyte/runtime/clock.ts';
import type { Reject } from '../../src/connectors/batch.ts';
import type { CheckReport, ReadRequest, Stream } from '../../src/connectors/contract.ts';
import { reachOf } from '../../src/outside/reach.ts';

/** A clock that a test turns: who sleeps moves it. */
export class TestClock implements WaitingClock {
  time: number;
  readonly waits: number[] = [];

  constructor(start: string) {
    this.time = Date.parse(start);
  }

  now(): number {
    return this.time;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.waits.push(milliseconds);
    this.time += milliseconds;
  }
}

export interface ManifestOptions {
  settings?: Record<string, unknown>;
  clock?: WaitingClock;
  /** Members of the manifest besides its streams. */
  more?: Record<string, unknown>;
  onTold?: (message: string) => void;
}

/** A manifest with these streams, opened as the connector does. */
export function openStreams(streams: readonly object[], { settings = {}, clock, more = {}, onTold }: ManifestOptions = {}): OpenManifest {
  const text = JSON.stringify({
    version: '6.0.0',
    type: 'DeclarativeSource',
    check: { type: 'CheckStream', stream_names: [] },
    streams,
    ...more,
  });
  const signal = new AbortController().signal;
  return openManifest(
    text,
    { manifest: text, settings },
    { reach: reachOf('any'), tell: (_, message) => onTold?.(message) },
    signal,
    clock,
  );
}

export interface ManifestRead {
  /** The rows by the names of their fields. */
  records: Record<string, string | null>[];
  positions: string[];
  rejects: Reject[];
}

/** Reads a stream with all its fields. */
export async function readManifestStream(
  manifest: OpenManifest,
  stream: string,
  request: Partial<ReadRequest> = {},
): Promise<ManifestRead> {
  const [described] = await describeAll(manifest, [stream]);
  const fields = request.fields ?? (described as Stream).fields.map(({ name }) => name);
  const result: ManifestRead = { records: [], positions: [], rejects: [] };
  for await (const batch of readStream(manifest, { stream, key: described?.key ?? [], ...request, fields })) {
    for (const row of batch.rows) result.records.push(Object.fromEntries(fields.map((name, index) => [name, row[index] ?? null])));
    result.positions.push(batch.position);
    result.rejects.push(...batch.rejects);
  }
  return result;
}

export function checkStreams(manifest: OpenManifest): Promise<CheckReport> {
  return checkManifest(manifest);
}

export function discoverStreams(manifest: OpenManifest): Promise<Stream[]> {
  return describeAll(manifest, undefined);
}

/** A stream of the language, with what is usual where nothing else is said. */
export function declared(
  url: string,
  given: { name?: string; path?: string; properties?: object; requester?: object; retriever?: object; stream?: object } = {},
): object {
  const { name = 'things', path = `/${name}`, properties = { id: { type: 'integer' } } } = given;
  return {
    type: 'DeclarativeStream',
    name,
    primary_key: 'id',
    schema_loader: { type: 'InlineSchemaLoader', schema: { type: 'object', properties } },
    ...given.stream,
    retriever: {
      type: 'SimpleRetriever',
      record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data'] } },
      ...given.retriever,
      requester: { type: 'HttpRequester', url_base: url, path, http_method: 'GET', ...given.requester },
    },
  };
}

import { nameOf } from './described.ts';
import { customClassesOf } from './language/custom-classes.ts';
import type { Component, ResolvedManifest } from './language/manifest.ts';
import { type DynamicValues, dynamicValues, expandDynamic, resolverOf, streamsUnder } from './language/streams.ts';
import type { Part } from './runtime/parts.ts';
import { StreamRun } from './runtime/run.ts';
import type { AirbyteSession } from './runtime/session.ts';
import { shownSlice } from './runtime/slices/slice.ts';
import { openStream } from './runtime/stream.ts';

/** The streams of a manifest under some settings. */
export interface ManifestStreams {
  readonly readable: readonly Part[];
  /** Classes of custom code, by the streams that need them. */
  readonly custom: ReadonlyMap<string, readonly string[]>;
}

/** All streams: those of the manifest, and those that the settings or the API itself make of it. */
export async function streamsOf(session: AirbyteSession, resolved: ResolvedManifest): Promise<ManifestStreams> {
  const parts: Component[] = streamsUnder(resolved, session.config);
  const custom = new Map<string, readonly string[]>();
  const seen = new Set<string>();
  for (const [index, definition] of resolved.dynamicStreams.entries()) {
    const classes = customClassesOf(definition['components_resolver']);
    if (classes.length > 0) custom.set(nameOf(definition) || `dynamic streams ${index + 1}`, classes);
    else parts.push(...expandDynamic(definition, index, session.config, await valuesFor(session, definition), seen));
  }
  const readable: Part[] = [];
  for (const part of parts) {
    const classes = customClassesOf(part);
    if (classes.length > 0) custom.set(nameOf(part), classes);
    else readable.push(part);
  }
  return { readable, custom };
}

/** What the streams of a definition are made of; where the API tells it, it is asked. */
async function valuesFor(session: AirbyteSession, definition: Component): Promise<DynamicValues[]> {
  const known = dynamicValues(definition, session.config);
  if (known) return known;
  const stream = openStream(
    session,
    { type: 'DeclarativeStream', name: 'the streams themselves', retriever: resolverOf(definition)['retriever'] },
    true,
  );
  const run = new StreamRun(stream, { state: {}, after: undefined, signal: session.signal });
  const values: DynamicValues[] = [];
  for await (const { records, slice } of run.chunks())
    for (const record of records) values.push({ values: record, slice: shownSlice(slice) });
  return values;
}

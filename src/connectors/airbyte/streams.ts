import type { JsonObject } from '../../lib/exact-json.ts';
import type { UnreadableStream } from '../contract.ts';
import { nameOf } from './described.ts';
import { customClassesOf } from './language/custom-classes.ts';
import type { Component, ResolvedManifest } from './language/manifest.ts';
import { unsupportedIn } from './language/unsupported.ts';
import { type DynamicValues, dynamicValues, expandDynamic, resolverOf, streamsUnder } from './language/streams.ts';
import type { Part } from './runtime/parts.ts';
import { StreamRun } from './runtime/run.ts';
import type { AirbyteSession } from './runtime/session.ts';
import { shownSlice } from './runtime/slices/slice.ts';
import { openStream } from './runtime/stream.ts';

/** A stream of a manifest that cannot be read. */
interface LackingStream extends UnreadableStream {
  /** Custom code is one thing, a part of the language that we do not run another. */
  readonly code: 'CUSTOM_CODE' | 'COMPONENT_UNSUPPORTED';
}

/** The streams of a manifest under some settings. */
export interface ManifestStreams {
  readonly readable: readonly Part[];
  /** Those that cannot, by their names. */
  readonly unreadable: ReadonlyMap<string, LackingStream>;
  /** The API has to be asked for more. */
  readonly isPartial: boolean;
}

/** All streams: those of the manifest, and those that the settings or the API itself make of it. */
export function streamsOf(session: AirbyteSession, resolved: ResolvedManifest): Promise<ManifestStreams> {
  return streamsWith(resolved, session.config, (definition) => valuesFor(session, definition));
}

/** The same with another way to what dynamic streams are made of; what that does not know is left out, and told. */
export async function streamsWith(
  resolved: ResolvedManifest,
  settings: JsonObject,
  valuesOf: (definition: Component) => Promise<DynamicValues[] | undefined>,
): Promise<ManifestStreams> {
  const parts: Component[] = streamsUnder(resolved, settings);
  const unreadable = new Map<string, LackingStream>();
  const seen = new Set<string>();
  let isPartial = false;
  for (const [index, definition] of resolved.dynamicStreams.entries()) {
    const name = nameOf(definition) || `dynamic streams ${index + 1}`;
    const { components_resolver: resolver, stream_template: template } = definition;
    const values = lackOf(name, resolver) ? undefined : await valuesOf(definition);
    const lack = values ? undefined : lackOf(name, [resolver, template]);
    if (values) parts.push(...expandDynamic(definition, index, settings, values, seen));
    else if (lack) unreadable.set(name, lack);
    else isPartial = true;
  }
  const readable: Part[] = [];
  for (const part of parts) {
    const lack = lackOf(nameOf(part), part);
    if (lack) unreadable.set(lack.name, lack);
    else readable.push(part);
  }
  return { readable, unreadable, isPartial };
}

/** What a stream needs that Syncline does not have; undefined when there is nothing. */
function lackOf(name: string, part: unknown): LackingStream | undefined {
  const classes = customClassesOf(part);
  if (classes.length > 0) {
    const reason = `it needs custom code in Python, which Syncline does not run: ${classes.join(', ')}`;
    return { name, code: 'CUSTOM_CODE', needs: classes, reason };
  }
  const lacking = unsupportedIn(part);
  if (lacking.length === 0) return undefined;
  const reason = lacking.map((one) => one.reason).join('; ');
  return { name, code: 'COMPONENT_UNSUPPORTED', needs: lacking.map((one) => one.part), reason };
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

import { OutsideError } from '../../outside/errors.ts';
import { CHECK_TIMEOUT, type CheckReport } from '../contract.ts';
import { nameOf } from './described.ts';
import { warningsOf } from './language/warnings.ts';
import { ofStream } from './of-stream.ts';
import type { OpenManifest } from './open.ts';
import { partOf, partsOf, textsAt, typeOf } from './runtime/parts.ts';
import { StreamRun } from './runtime/run.ts';
import type { ManifestStreams } from './streams.ts';
import { openStream, variantOf } from './runtime/stream.ts';

// Of the ten seconds of a check, these are for the API; the rest is for telling.
const MAX_TIME = CHECK_TIMEOUT - 1000;
/** Large manifests have hundreds of members without effect. */
const MOST_WARNINGS = 10;

/** Reads the first page of the streams that the manifest names for it. */
export async function check(manifest: OpenManifest): Promise<CheckReport> {
  const { session } = manifest;
  const streams = await manifest.streams();
  const warnings = [...lackWarnings(streams), ...warningsOf(manifest.resolved).slice(0, MOST_WARNINGS)];
  const names = namesToTry(manifest, streams);
  const deadline = AbortSignal.timeout(MAX_TIME);
  const signal = AbortSignal.any([session.signal, deadline]);
  let tried = 0;
  for (const name of names) {
    const part = await manifest.stream(name);
    try {
      const run = new StreamRun(openStream(session, variantOf(session, part, {})), { state: {}, after: undefined, signal });
      // The first records are enough; a stream without any has answered all the same.
      for await (const { records } of run.chunks()) if (records.length > 0) break;
      tried++;
    } catch (error) {
      if (session.signal.aborted) throw error;
      if (deadline.aborted && tried > 0) break;
      if (deadline.aborted)
        throw new OutsideError('transient', 'TIMEOUT', `Stream "${name}": no records came within ${MAX_TIME / 1000} s.`, {
          field: 'settings',
          hint: 'The API may be slow, or ask us to wait. It can be used all the same.',
          cause: error,
        });
      throw ofStream(error, name);
    }
  }
  const all = streams.readable.length;
  if (tried < names.length) warnings.push(`There was no time to try: ${names.slice(tried).join(', ')}.`);
  return {
    message: `The manifest has ${all} ${all === 1 ? 'stream' : 'streams'} that can be read; ${tried === 0 ? 'none was tried' : `tried: ${names.slice(0, tried).join(', ')}`}`,
    warnings,
  };
}

/** The manifest says which; without a word, or when those cannot be read, it is the first. */
function namesToTry({ resolved }: OpenManifest, { readable }: ManifestStreams): string[] {
  const part = partOf(resolved.check);
  const streams = readable.map(nameOf);
  const named = textsAt(part, 'stream_names').filter((name) => streams.includes(name));
  if (named.length > 0) return named;
  const count =
    typeOf(part) === 'CheckDynamicStream'
      ? Number(part?.['stream_count'] ?? 1)
      : partsOf(part?.['dynamic_streams_check_configs']).length || 1;
  return streams.slice(0, Math.max(1, Math.min(count, 5)));
}

/** What cannot be read, and what is not read of the rest. */
function lackWarnings({ readable, unreadable }: ManifestStreams): string[] {
  const warnings: string[] = [];
  const needed = [...unreadable.values()].map(({ name, needs }) => `${name} (${needs.join(', ')})`);
  if (needed.length > 0)
    warnings.push(
      `These streams need what Syncline does not have, such as custom code in Python, and cannot be read: ${needed.join(', ')}.`,
    );
  const withFiles = readable.filter((part) => partOf(part['file_uploader'])).map(nameOf);
  if (withFiles.length > 0)
    warnings.push(`Of these streams, the records are read, and not the files that they point at: ${withFiles.join(', ')}.`);
  return warnings;
}

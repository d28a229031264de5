import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../lib/exact-json.ts';
import type { ConfigEntry } from './document.ts';

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Which members differ, each with both values; null is what is not there. Streams are told apart by their targets. */
export function differences(before: ConfigEntry, after: ConfigEntry, place = ''): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => changesAt(place === '' ? name : `${place}.${name}`, before[name] ?? null, after[name] ?? null));
}

function changesAt(field: string, before: unknown, after: unknown): FieldChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) return differences(before, after, field);
  if (areStreams(before) && areStreams(after)) return streamChanges(field, before, after);
  return [{ field, before, after }];
}

type Streams = { readonly target: string }[];

function areStreams(value: unknown): value is Streams {
  return Array.isArray(value) && value.length > 0 && value.every((one) => isJsonObject(one) && typeof one['target'] === 'string');
}

function streamChanges(field: string, before: Streams, after: Streams): FieldChange[] {
  const targets = [...new Set([...before, ...after].map(({ target }) => target))];
  const found = targets.flatMap((target) => {
    const [was, is] = [before, after].map((streams) => streams.find((stream) => stream.target === target) ?? null);
    return changesAt(`${field}[${target}]`, was, is);
  });
  // In another order, they are the same streams.
  return found.length > 0 ? found : [{ field, before: before.map(({ target }) => target), after: after.map(({ target }) => target) }];
}

import { pythonText } from '../python-text.ts';
import { evaluateTexts, scopeOf } from '../evaluate.ts';
import { type Part, partOf, textAt, textsAt, typeOf } from '../parts.ts';
import { stepsOf, valueAt } from '../records/dpath.ts';
import type { AirbyteSession } from '../session.ts';
import type { Retriever } from '../retriever.ts';
import { WHOLE } from '../slices/slice.ts';
import { noOptions } from './options.ts';

/** Properties that are asked for by name, in as many requests as it takes. */
export interface PropertyChunks {
  chunks(signal: AbortSignal): Promise<readonly (readonly string[])[]>;
  /** What records of several requests have in common; undefined when they are not joined. */
  keyOf(record: Readonly<Record<string, unknown>>): string | undefined;
}

export function propertiesOf(session: AirbyteSession, part: Part, makeRetriever: (part: Part) => Retriever): PropertyChunks {
  const chunking = partOf(part['property_chunking']);
  const always = textsAt(part, 'always_include_properties');
  const strategy = partOf(chunking?.['record_merge_strategy']);
  const keys = strategy ? stepsOf(Array.isArray(strategy['key']) ? strategy['key'] : [strategy['key']]) : ['id'];
  let known: Promise<string[]> | undefined;
  return {
    chunks: async (signal) => {
      known ??= namesOf(session, part['property_list'], makeRetriever, signal);
      return chunksOf(await known, always, chunking);
    },
    keyOf: (record) => {
      if (!chunking) return undefined;
      const values = keys.map((key) => record[key]);
      return values.every(Boolean) ? values.map(pythonText).join(',') : undefined;
    },
  };
}

async function namesOf(
  session: AirbyteSession,
  written: unknown,
  makeRetriever: (part: Part) => Retriever,
  signal: AbortSignal,
): Promise<string[]> {
  if (Array.isArray(written)) return written.map(String);
  const part = partOf(written);
  if (!part || typeOf(part) !== 'PropertiesFromEndpoint') return [];
  const path = evaluateTexts(Array.isArray(part['property_field_path']) ? part['property_field_path'] : [], scopeOf(session.config, part));
  const names: string[] = [];
  const retriever = makeRetriever(partOf(part['retriever']) ?? {});
  for await (const { records } of retriever.read({ slice: WHOLE, options: noOptions(), signal }))
    for (const record of records) names.push(pythonText(valueAt(record, path) ?? ''));
  return names;
}

function chunksOf(names: readonly string[], always: readonly string[], chunking: Part | undefined): readonly (readonly string[])[] {
  if (!chunking) return [[...always, ...names]];
  const limit = Number(chunking['property_limit']);
  if (!(limit > 0)) return [[...names, ...always]];
  const isByLength = textAt(chunking, 'property_limit_type') === 'characters';
  const chunks: string[][] = [];
  let chunk = [...always];
  let size = 0;
  for (const name of names) {
    const own = isByLength ? name.length + 3 : 1;
    if (size + own > limit) {
      chunks.push(chunk);
      chunk = [...always];
      size = 0;
    }
    chunk.push(name);
    size += own;
  }
  return [...chunks, chunk];
}

import type { JsonObject } from '../../lib/exact-json.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { Outline } from '../contract.ts';
import { nameOf } from './described.ts';
import { formOf } from './form.ts';
import { readManifest, type ResolvedManifest } from './language/manifest.ts';
import { dynamicValues } from './language/streams.ts';
import { partOf } from './runtime/parts.ts';
import { settingsFor } from './settings.ts';
import { streamsWith } from './streams.ts';

/** What a manifest tells by itself: the form of its settings, the streams that can be read, and what the others lack. */
export async function outline(text: string, given: JsonObject): Promise<Outline> {
  const resolved = readManifest(text);
  const settings = settingsOrGiven(resolved, given);
  const { readable, unreadable, isPartial } = await streamsWith(resolved, settings, async (definition) =>
    dynamicValues(definition, settings),
  );
  return {
    forms: { settings: formOf(partOf(resolved.spec?.['connection_specification']) ?? {}) },
    streams: readable.map(nameOf),
    isPartial,
    unreadable: [...unreadable.values()].map(({ name, needs, reason }) => ({ name, needs, reason })),
  };
}

/** The form need not be filled in to be asked for. */
function settingsOrGiven({ spec }: ResolvedManifest, given: JsonObject): JsonObject {
  try {
    return settingsFor(spec, partOf(spec?.['connection_specification']), given);
  } catch (error) {
    if (error instanceof OutsideError) return given;
    throw error;
  }
}

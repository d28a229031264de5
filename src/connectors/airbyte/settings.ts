import { isJsonObject, type JsonObject } from '../../lib/exact-json.ts';
import { OutsideError } from '../../outside/errors.ts';
import { schemaFault } from './language/json-schema.ts';
import type { Component } from './language/manifest.ts';
import { checkSettings, normalizedSettings } from './language/settings-rules.ts';
import { type Part, partOf } from './runtime/parts.ts';

/** The settings as the manifest wants them: with its defaults, its migrations, and checked against its own form. */
export function settingsFor(spec: Component | undefined, specification: Part | undefined, given: JsonObject): JsonObject {
  const settings = normalizedSettings(spec, withDefaults(specification, given, 0) as JsonObject);
  const fault = specification && faultIn(settings, specification);
  if (fault !== undefined)
    throw new OutsideError('config', 'SETTINGS_INVALID', `The settings do not fit the form of the manifest: ${fault}.`, {
      field: 'settings',
      hint: 'Correct this member of the settings.',
    });
  checkSettings(spec, settings);
  return settings;
}

/** A pattern of the form that we do not understand refuses nothing. */
function faultIn(settings: JsonObject, specification: Part): string | undefined {
  try {
    return schemaFault(settings, specification);
  } catch (error) {
    if (error instanceof OutsideError) return undefined;
    throw error;
  }
}

/** What a form would have filled in. Of several forms to choose from, the choice is the user's. */
function withDefaults(schema: Part | undefined, given: unknown, depth: number): unknown {
  const properties = partOf(schema?.['properties']);
  if (!properties || !isJsonObject(given) || depth > MAX_DEPTH) return given;
  const filled: Record<string, unknown> = { ...given };
  for (const [name, property] of Object.entries(properties)) {
    const part = partOf(property);
    if (Object.hasOwn(filled, name)) filled[name] = withDefaults(part, filled[name], depth + 1);
    else if (part && part['default'] !== undefined) filled[name] = part['default'];
  }
  return filled;
}

/** The secrets among the settings, by their place: those that the manifest's own form marks as such. */
export function secretsIn(specification: Part | undefined, settings: JsonObject): [string, string][] {
  const secrets: [string, string][] = [];
  collect(specification, settings, '', secrets, 0);
  return secrets;
}

const MAX_DEPTH = 20;

function collect(schema: Part | undefined, value: unknown, place: string, secrets: [string, string][], depth: number): void {
  if (!schema || depth > MAX_DEPTH) return;
  if (schema['airbyte_secret'] === true && typeof value === 'string') secrets.push([place, value]);
  for (const name of ['oneOf', 'anyOf', 'allOf']) {
    const variants = schema[name];
    if (Array.isArray(variants)) for (const variant of variants) collect(partOf(variant), value, place, secrets, depth + 1);
  }
  if (Array.isArray(value))
    for (const [index, entry] of value.entries()) collect(partOf(schema['items']), entry, `${place}[${index}]`, secrets, depth + 1);
  if (!isJsonObject(value)) return;
  for (const [name, property] of Object.entries(partOf(schema['properties']) ?? {}))
    if (Object.hasOwn(value, name)) collect(partOf(property), value[name], place === '' ? name : `${place}.${name}`, secrets, depth + 1);
}

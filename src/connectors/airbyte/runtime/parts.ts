import { isJsonObject, type JsonObject } from '../../../lib/exact-json.ts';
import { OutsideError } from '../../../outside/errors.ts';

/** A component of a manifest, resolved: an object whose `type` says what it is. */
export type Part = JsonObject;

/** A value that is a component, or any other object. */
export function partOf(value: unknown): Part | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** The components of a list; one alone is a list of one. */
export function partsOf(value: unknown): Part[] {
  if (Array.isArray(value)) return value.filter(isJsonObject);
  return isJsonObject(value) ? [value] : [];
}

export function typeOf(part: Part | undefined): string {
  return typeof part?.['type'] === 'string' ? part['type'] : '';
}

/** What `$parameters` gave to a component. */
export function parametersOf(part: Part | undefined): JsonObject {
  return partOf(part?.['parameters']) ?? partOf(part?.['$parameters']) ?? {};
}

export function textAt(part: Part | undefined, name: string): string | undefined {
  const value = part?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** The entries of a list as texts; a text alone is a list of one. */
export function textsAt(part: Part | undefined, name: string): string[] {
  const value = part?.[name];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(String) : [];
}

export function isTrue(part: Part | undefined, name: string): boolean {
  return part?.[name] === true;
}

/** A manifest that cannot be worked with; `what` names the component. */
export function manifestFault(code: string, message: string, hint = 'Correct the manifest.'): OutsideError {
  return new OutsideError('config', code, message, { field: 'manifest', hint });
}

/** A part of the language that is not one of those we know. */
export function unknownPart(part: Part | undefined, place: string): OutsideError {
  const type = typeOf(part);
  return manifestFault(
    'COMPONENT_UNKNOWN',
    type === ''
      ? `The ${place} of the manifest has no type.`
      : `The manifest has a ${place} of the type "${type}", which Syncline does not know.`,
    'Check the spelling of its type. What needs custom code cannot be run.',
  );
}

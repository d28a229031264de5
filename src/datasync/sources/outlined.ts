import type { Outline } from '../../connectors/contract.ts';
import type { SecretsBy } from '../../connectors/marked-names.ts';
import { findManifest } from '../../connectors/registry.ts';
import { type AppError, invalidParam, unavailable } from '../../lib/errors.ts';
import { sentence } from '../../lib/sentence.ts';
import type { OutsideError } from '../../outside/errors.ts';

/** Manifests have hundreds of streams. */
const MOST_TOLD = 20;

/** What does not work of what a configuration describes, in words. Throws when none of it does. */
export function warningsIn(type: string, outline: Outline | null): string[] {
  if (!outline || outline.unreadable.length === 0) return [];
  const { streams, isPartial, unreadable } = outline;
  const told = unreadable.slice(0, MOST_TOLD);
  const more = told.length < unreadable.length ? `; and ${unreadable.length - told.length} more` : '';
  if (streams.length === 0 && !isPartial)
    throw invalidParam(
      `config.${describingMember(type) ?? ''}`,
      `has no stream that can be read. ${told.map(({ name, reason }) => `"${name}": ${reason}`).join('; ')}${more}`,
    );
  return [
    ...told.map(({ name, reason }) => sentence(`"${name}" cannot be read: ${reason}`)),
    ...(more === '' ? [] : [sentence(more.slice(2))]),
  ];
}

/** The member of a configuration whose text describes the rest of it, and the streams. */
export function describingMember(type: string): string | undefined {
  const members = Object.values(findManifest(type)?.config.properties ?? {});
  return members.flatMap((member) => (member as { 'x-secrets-by'?: SecretsBy })['x-secrets-by']?.member ?? [])[0];
}

/** What stands against a configuration that is not saved, as a fault of the request. */
export function refusalOf(error: OutsideError): AppError {
  if (error.code === 'BUSY') return unavailable(error.message);
  const reason = [error.message, error.hint].filter((part) => part !== undefined).join(' ');
  return invalidParam(error.field === undefined ? 'config' : `config.${error.field}`, `does not work: ${reason}`);
}

import { type Part, textAt } from './runtime/parts.ts';
import type { ManifestField } from './runtime/schema/fields.ts';

/** What is known of a stream. */
export interface Described {
  readonly fields: readonly ManifestField[];
  readonly key: readonly string[];
}

export function nameOf(part: Part): string {
  return textAt(part, 'name') ?? '';
}

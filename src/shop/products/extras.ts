import { parseExactly } from '../../lib/exact-json.ts';

/** What a product may have beyond what every product has, in the order in which it is answered. */
export const EXTRA_NAMES = ['sku', 'barcode', 'status', 'prices', 'weight', 'variants', 'images', 'attributes'] as const;

/** What a message says of it: the JSON text of each, or null for what is to go. */
export type ExtraPatch = Partial<Record<(typeof EXTRA_NAMES)[number], string | null>>;

/** JSON text of an object; null when there is nothing to say. */
export function extraOf(extras: ExtraPatch): string | null {
  const members = EXTRA_NAMES.flatMap((name) => (typeof extras[name] === 'string' ? [`"${name}":${extras[name]}`] : []));
  return members.length > 0 ? `{${members.join(',')}}` : null;
}

export function mergedExtra(present: string | null, patch: ExtraPatch): string | null {
  return extraOf({ ...membersOf(present), ...patch });
}

/** The names of what a message changes. */
export function changedExtras(present: string | null, patch: ExtraPatch): string[] {
  const members = membersOf(present);
  return EXTRA_NAMES.filter((name) => patch[name] !== undefined && patch[name] !== (members[name] ?? null));
}

function membersOf(extra: string | null): ExtraPatch {
  if (extra === null) return {};
  return Object.fromEntries(Object.entries(parseExactly(extra) as object).map(([name, value]) => [name, JSON.stringify(value)]));
}

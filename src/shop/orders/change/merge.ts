import { isJsonObject } from '../../../lib/exact-json.ts';

/** JSON Merge Patch (RFC 7396): objects are merged member by member, null removes one, and everything else takes the place of what was there. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

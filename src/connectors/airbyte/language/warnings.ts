import { templateFault } from '../interpolation/interpolate.ts';
import { unknownMembers } from './check-types.ts';
import type { ResolvedManifest } from './manifest.ts';

/** What is most likely wrong with a manifest and does not stop it: members without effect, and templates that cannot be used. */
export function warningsOf({ source }: ResolvedManifest): string[] {
  const faults = new Set<string>();
  collect(source, faults, new Set());
  return [...unknownMembers(source), ...faults];
}

function collect(node: unknown, faults: Set<string>, seen: Set<unknown>): void {
  if (typeof node === 'string') {
    if (!/\{[{%]/.test(node)) return;
    const fault = templateFault(node);
    if (fault) faults.add(fault.message);
  } else if (typeof node === 'object' && node !== null && !seen.has(node)) {
    // Parts are shared: each is looked at once.
    seen.add(node);
    for (const member of Object.values(node)) collect(member, faults, seen);
  }
}

import { createRequire } from 'node:module';
import { manifest as airbyte } from './airbyte/manifest.ts';
import type { Manifest } from './contract.ts';
import { manifest as duckdb } from './duckdb/manifest.ts';
import { manifest as files } from './files/manifest.ts';
import { manifest as hook } from './hook/manifest.ts';
import { manifest as http } from './http/manifest.ts';
import { manifest as hub } from './hub/manifest.ts';
import { manifest as mysql } from './mysql/manifest.ts';
import type { Naming } from './naming.ts';
import { manifest as postgres } from './postgres/manifest.ts';
import { manifest as sqlite } from './sqlite/manifest.ts';

/** Every connector there is. A new one is a folder and a line here; `load.ts` finds it by its name. */
export const manifests: readonly Manifest[] = [postgres, mysql, sqlite, duckdb, files, http, airbyte, hook, hub];

/** For tests, and not offered to people: it lies beside the sources, and is not in what is built of them. */
const hidden: readonly Manifest[] = import.meta.url.endsWith('.ts') ? [manifestOf('fake')] : [];

/** The manifest of a type; of a hidden one only when these are asked for too. */
export function findManifest(type: string, hiddenToo = true): Manifest | undefined {
  return [...manifests, ...(hiddenToo ? hidden : [])].find((manifest) => manifest.type === type);
}

/** The types of which something is true; hidden ones too. */
export function typesThat(is: (manifest: Manifest) => boolean): string[] {
  return [...manifests, ...hidden].filter(is).map(({ type }) => type);
}

/** How a system calls its streams and fields; of an unknown type nothing is known. */
export function namingOf(type: string): Naming {
  return findManifest(type)?.naming ?? {};
}

function manifestOf(type: string): Manifest {
  // Not by `await import`: to end a thread whose modules still wait at their top level ends the whole process (V8, "Check failed: !is_null()").
  const { manifest } = createRequire(import.meta.url)(`./${type}/manifest.ts`) as { manifest: Manifest };
  return manifest;
}

import type { Manifest } from './contract.ts';
import { manifest as fake } from './fake/manifest.ts';
import { manifest as files } from './files/manifest.ts';
import { manifest as http } from './http/manifest.ts';
import { manifest as hub } from './hub/manifest.ts';
import { manifest as mysql } from './mysql/manifest.ts';
import { manifest as postgres } from './postgres/manifest.ts';
import { manifest as sqlite } from './sqlite/manifest.ts';

interface Entry {
  readonly manifest: Manifest;
  /** Not offered to people; for tests. */
  readonly hidden?: true;
}

/** Every connector there is. A new one is a folder and a line here; `load.ts` finds it by its name. */
const ENTRIES: readonly Entry[] = [
  { manifest: postgres },
  { manifest: mysql },
  { manifest: sqlite },
  { manifest: files },
  { manifest: http },
  { manifest: hub },
  { manifest: fake, hidden: true },
];

/** What a user can choose from. */
export const manifests: readonly Manifest[] = ENTRIES.filter((entry) => !entry.hidden).map((entry) => entry.manifest);

/** The manifest of a type; of a hidden one only when these are asked for too. */
export function findManifest(type: string, hiddenToo = true): Manifest | undefined {
  return ENTRIES.find((entry) => entry.manifest.type === type && (hiddenToo || !entry.hidden))?.manifest;
}

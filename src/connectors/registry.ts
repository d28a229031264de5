import type { Connector, Manifest } from './contract.ts';
import { ConnectorError } from './errors.ts';
import { manifest as fake } from './fake/manifest.ts';
import { manifest as files } from './files/manifest.ts';
import { manifest as http } from './http/manifest.ts';
import { manifest as hub } from './hub/manifest.ts';
import { manifest as mysql } from './mysql/manifest.ts';
import { manifest as postgres } from './postgres/manifest.ts';
import { manifest as sqlite } from './sqlite/manifest.ts';

interface Entry {
  readonly manifest: Manifest;
  /** Drivers are large: a connector is loaded when it is first used. */
  readonly load: () => Promise<{ connector: Connector }>;
  /** Not offered to people; for tests. */
  readonly hidden?: true;
}

/** Every connector there is. A new one is a folder and a line here. */
const ENTRIES: readonly Entry[] = [
  { manifest: postgres, load: () => import('./postgres/connector.ts') },
  { manifest: mysql, load: () => import('./mysql/connector.ts') },
  { manifest: sqlite, load: () => import('./sqlite/connector.ts') },
  { manifest: files, load: () => import('./files/connector.ts') },
  { manifest: http, load: () => import('./http/connector.ts') },
  { manifest: hub, load: () => import('./hub/connector.ts') },
  { manifest: fake, load: () => import('./fake/connector.ts'), hidden: true },
];

/** What a user can choose from. */
export const manifests: readonly Manifest[] = ENTRIES.filter((entry) => !entry.hidden).map((entry) => entry.manifest);

/** The manifest of a type; of a hidden one only when these are asked for too. */
export function findManifest(type: string, hiddenToo = true): Manifest | undefined {
  return ENTRIES.find((entry) => entry.manifest.type === type && (hiddenToo || !entry.hidden))?.manifest;
}

export async function loadConnector(type: string): Promise<Connector> {
  const entry = ENTRIES.find((candidate) => candidate.manifest.type === type);
  if (!entry) throw new ConnectorError('config', 'TYPE_UNKNOWN', `There is no connector "${type}".`, { field: 'type' });
  return (await entry.load()).connector;
}

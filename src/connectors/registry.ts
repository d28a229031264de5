import type { Connector, Manifest } from './contract.ts';
import { ConnectorError } from './errors.ts';

interface Entry {
  readonly manifest: Manifest;
  /** Drivers are large: a connector is loaded when it is first used. */
  readonly load: () => Promise<{ connector: Connector }>;
  /** Not offered to people; for tests. */
  readonly hidden?: true;
}

/** Every connector there is. A new one is a folder and a line here. */
const ENTRIES: readonly Entry[] = [
  // { manifest: postgres, load: () => import('./postgres/connector.ts') },
];

/** What a user can choose from. */
export const manifests: readonly Manifest[] = ENTRIES.filter((entry) => !entry.hidden).map((entry) => entry.manifest);

export function findManifest(type: string): Manifest | undefined {
  return ENTRIES.find((entry) => entry.manifest.type === type)?.manifest;
}

export async function loadConnector(type: string): Promise<Connector> {
  const entry = ENTRIES.find((candidate) => candidate.manifest.type === type);
  if (!entry) throw new ConnectorError('config', 'TYPE_UNKNOWN', `There is no connector "${type}".`, { field: 'type' });
  return (await entry.load()).connector;
}

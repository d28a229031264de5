import type { Connector } from './session.ts';
import { OutsideError } from '../outside/errors.ts';
import { findManifest } from './registry.ts';

// Connectors work in threads, never in the one that answers requests. So this stands apart from the registry, which all rooms may import.

/** Drivers are large: a connector is loaded when it is first used, from the folder of its name. */
export async function loadConnector(type: string): Promise<Connector> {
  if (!findManifest(type)) throw new OutsideError('config', 'TYPE_UNKNOWN', `There is no connector "${type}".`, { field: 'type' });
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const module = (await import(new URL(`./${type}/connector.${ending}`, import.meta.url).href)) as { connector: Connector };
  return module.connector;
}

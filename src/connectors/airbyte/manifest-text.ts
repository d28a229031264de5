import { OutsideError } from '../../outside/errors.ts';
import type { Roots } from '../../outside/roots.ts';
import { type AirbyteConfig, MAX_MANIFEST } from './config.ts';

/** The text of the manifest, from the configuration or from its file. */
export async function manifestText({ manifest, path }: AirbyteConfig, roots: Roots): Promise<string> {
  if (manifest !== undefined || path === undefined) return manifest ?? '';
  const file = await roots.open(path);
  try {
    const { size } = await file.stat();
    if (size > MAX_MANIFEST)
      throw new OutsideError('config', 'MANIFEST_TOO_LARGE', `"${path}" is too large for a manifest.`, { field: 'path' });
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

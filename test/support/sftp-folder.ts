import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { TriedPlace } from './files-conformance.ts';
import type { SshServer } from './ssh-server.ts';

/** How to log in to a server of the tests. */
export function loginAt(server: SshServer): Record<string, unknown> {
  return {
    type: 'sftp',
    host: server.host,
    port: server.port,
    user: server.user,
    private_key: server.keys.ed25519,
    host_key: server.fingerprint,
  };
}

/** A folder at a server, for the conformance suite. */
export async function triedFolder(server: SshServer): Promise<TriedPlace> {
  const folder = await mkdtemp(join(server.folder, 'tried-'));
  return {
    config: { path: basename(folder), place: loginAt(server) },
    append: (name, text) => appendFile(join(folder, name), text),
    close: () => rm(folder, { recursive: true }),
  };
}

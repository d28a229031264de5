// A process that writes numbered rows to a file and may be killed at any moment. It says after each batch how far it is.
import { Batch } from '../../src/connectors/batch.ts';
import { withDefaults } from '../../src/connectors/config-values.ts';
import type { WriteMode } from '../../src/connectors/contract.ts';
import { connector } from '../../src/connectors/files/connector.ts';
import { FilesConfig } from '../../src/connectors/files/manifest.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';

const [root = '', mode = '', token = '', total = ''] = process.argv.slice(2);
const session = await connector.open(withDefaults(FilesConfig, { path: root }) as FilesConfig, {
  reach: reachOf('any'),
  roots: rootsOf({ folders: [root], dataDir: `${root}/none` }),
  signal: new AbortController().signal,
});
const writer = await session.write({
  stream: 'numbers',
  fields: [{ name: 'n', type: 'int64', nullable: false }],
  key: mode === 'mirror' ? ['n'] : [],
  mode: mode as WriteMode,
  owner: 'writer',
  token: BigInt(token),
  create: true,
});
for (let at = Number(writer.checkpoint ?? 0); at < Number(total); at += 10) {
  await writer.write(
    Batch.ofRows(
      Array.from({ length: 10 }, (_, n) => [String(at + n)]),
      { position: String(at + 10) },
    ),
  );
  process.stdout.write(`${at + 10}\n`);
}
process.stdout.write('finishing\n');
await writer.finish();
process.stdout.write('done\n');

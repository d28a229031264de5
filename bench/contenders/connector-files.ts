// One pass of the connector `files` over a CSV file, into batches of typed values.
import { dirname } from 'node:path';
import { withDefaults } from '../../src/connectors/config-values.ts';
import { connector } from '../../src/connectors/files/connector.ts';
import { FilesConfig } from '../../src/connectors/files/manifest.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { MIXED_FIELDS } from '../support/mixed-rows.ts';
import { report } from '../support/rates.ts';

const [path = '', expected = ''] = process.argv.slice(2);
const types = MIXED_FIELDS.map(({ name, type }) => ({ field: name, type }));
const session = await connector.open(withDefaults(FilesConfig, { path, types }) as FilesConfig, {
  reach: reachOf('any'),
  roots: rootsOf({ folders: [dirname(path)], dataDir: '/nonexistent' }),
  signal: new AbortController().signal,
});
const [stream] = await session.discover();
const started = performance.now();
let rows = 0;
let rejects = 0;
for await (const batch of session.read({ stream: stream?.name ?? '', fields: MIXED_FIELDS.map(({ name }) => name), key: [] })) {
  rows += batch.count;
  rejects += batch.rejects.length;
}
if (rows !== Number(expected) || rejects > 0) throw new Error(`${rows} rows and ${rejects} rejects instead of ${expected} rows.`);
report((performance.now() - started) / 1000);
await session.close();

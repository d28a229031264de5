// One pass of the connector `sqlite` over the rows of a table: `read`, or `append` or `upsert` from a file of COPY text.
import { dirname } from 'node:path';
import { Batch } from '../../src/connectors/batch.ts';
import type { WriteMode } from '../../src/connectors/contract.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { connector } from '../../src/connectors/sqlite/connector.ts';
import { MIXED_FIELDS } from '../support/mixed-rows.ts';
import { report } from '../support/rates.ts';
import { wholeLines } from '../support/whole-lines.ts';

const [what = '', path = '', file = ''] = process.argv.slice(2);
const session = await connector.open(
  { path, create: true, busy_timeout_ms: 5000 },
  { reach: reachOf('any'), roots: rootsOf({ folders: [dirname(path)], dataDir: '/nonexistent' }), signal: new AbortController().signal },
);
await session.check();
const started = performance.now();
if (what === 'read') await read();
else await write(what as WriteMode);
report((performance.now() - started) / 1000);
await session.close();

async function read(): Promise<void> {
  let bytes = 0;
  for await (const batch of session.read({ stream: 't', fields: MIXED_FIELDS.map(({ name }) => name), key: ['id'] })) {
    bytes += batch.lines.length;
  }
  if (bytes === 0) throw new Error('Nothing was read.');
}

async function write(mode: WriteMode): Promise<void> {
  const writer = await session.write({ stream: 't', fields: MIXED_FIELDS, key: ['id'], mode, owner: 'bench', token: 1n, create: true });
  let place = 0;
  for await (const lines of wholeLines(file)) {
    const { rejects } = await writer.write(Batch.ofLines(lines, { position: String((place += lines.length)) }));
    if (rejects.length > 0) throw new Error(rejects[0]?.reason);
  }
  await writer.finish();
  await writer.close();
}

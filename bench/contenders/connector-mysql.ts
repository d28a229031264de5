// One pass of the connector `mysql` over the rows of a table: `read`, or `write` from a file of COPY text.
import { Batch } from '../../src/connectors/batch.ts';
import { connector } from '../../src/connectors/mysql/connector.ts';
import { reachOf } from '../../src/connectors/reach.ts';
import { rootsOf } from '../../src/connectors/roots.ts';
import { MIXED_FIELDS } from '../support/mixed-rows.ts';
import { report } from '../support/rates.ts';
import { wholeLines } from '../support/whole-lines.ts';

const [what = '', url = '', stream = '', file = ''] = process.argv.slice(2);
const { hostname, port, username, pathname } = new URL(url);
const session = await connector.open(
  { host: hostname, port: Number(port), user: username, database: pathname.slice(1), tls: 'disable' },
  { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nonexistent' }), signal: new AbortController().signal },
);
await session.check();
const started = performance.now();
if (what === 'read') await read();
else await write();
report((performance.now() - started) / 1000);
await session.close();

async function read(): Promise<void> {
  let bytes = 0;
  for await (const batch of session.read({ stream, fields: MIXED_FIELDS.map(({ name }) => name), key: ['id'] }))
    bytes += batch.lines.length;
  if (bytes === 0) throw new Error('Nothing was read.');
}

async function write(): Promise<void> {
  const writer = await session.write({
    stream,
    fields: MIXED_FIELDS,
    key: ['id'],
    mode: 'upsert',
    owner: `bench ${stream}`,
    token: 1n,
    create: true,
  });
  let place = 0;
  for await (const lines of wholeLines(file)) {
    const { rejects } = await writer.write(Batch.ofLines(lines, { position: String((place += lines.length)) }));
    if (rejects.length > 0) throw new Error(`Rows were refused: ${rejects[0]?.reason}`);
  }
  await writer.finish();
  await writer.close();
}

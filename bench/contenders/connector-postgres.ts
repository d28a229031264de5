// One pass of the connector `postgres`: `discover`, or over the rows of a table `read`, or `write` from a file of COPY text.
import { open } from 'node:fs/promises';
import { Batch } from '../../src/connectors/batch.ts';
import { reachOf } from '../../src/connectors/reach.ts';
import { rootsOf } from '../../src/connectors/roots.ts';
import { connector } from '../../src/connectors/postgres/connector.ts';
import { MIXED_FIELDS } from '../support/mixed-rows.ts';
import { report } from '../support/rates.ts';

const [what = '', url = '', stream = '', file = ''] = process.argv.slice(2);
const { hostname, port, username, pathname } = new URL(url);
const session = await connector.open(
  { host: hostname, port: Number(port), user: username, database: pathname.slice(1), ssl: 'disable' },
  { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nonexistent' }), signal: new AbortController().signal },
);
await session.check();
const started = performance.now();
if (what === 'discover') await discover();
else if (what === 'read') await read();
else await write();
report((performance.now() - started) / 1000);
await session.close();

async function discover(): Promise<void> {
  const streams = await session.discover();
  if (streams.length === 0) throw new Error('Nothing was found.');
}

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
  for await (const lines of wholeLines(file)) await writer.write(Batch.ofLines(lines, { position: String((place += lines.length)) }));
  await writer.finish();
  await writer.close();
}

/** A file in portions of about a megabyte that end with a row. */
async function* wholeLines(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path);
  let rest = Buffer.alloc(0);
  for (;;) {
    const buffer = Buffer.allocUnsafeSlow(rest.length + 1024 * 1024);
    rest.copy(buffer);
    const { bytesRead } = await handle.read(buffer, rest.length, 1024 * 1024);
    const filled = buffer.subarray(0, rest.length + bytesRead);
    const end = filled.lastIndexOf(0x0a) + 1;
    if (end > 0) yield filled.subarray(0, end);
    rest = filled.subarray(end);
    if (bytesRead === 0) break;
  }
  await handle.close();
}

// A writer that is killed by crash.test.ts: goes on where the file says, a batch of ten rows at a time, and says what it has written.
import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Batch } from '../../src/connectors/batch.ts';
import type { Row } from '../../src/connectors/canonical.ts';
import type { WriteMode } from '../../src/connectors/contract.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { connector } from '../../src/connectors/sqlite/connector.ts';

const [path = '', mode = '', token = '1', total = '0'] = process.argv.slice(2);
const session = await connector.open(
  { path, create: true, busy_timeout_ms: 5000 },
  { reach: reachOf('any'), roots: rootsOf({ folders: [dirname(path)], dataDir: '/nowhere' }), signal: new AbortController().signal },
);
const writer = await session.write({
  stream: 't',
  fields: [
    { name: 'id', type: 'int64', nullable: false },
    { name: 'v', type: 'text', nullable: true },
  ],
  key: ['id'],
  mode: mode as WriteMode,
  owner: 'me',
  token: BigInt(token),
  create: true,
});
for (let done = Number(writer.checkpoint ?? 0); done < Number(total); done += 10) {
  const rows = Array.from({ length: 10 }, (_, at): Row => [String(done + at + 1), `value ${done + at + 1}`]);
  await writer.write(Batch.ofRows(rows, { position: String(done + 10) }), () => `${done + 10} rows`);
  writeSync(1, `${done + 10}\n`);
}
await writer.finish();
await writer.close();

// One pass of the connector `postgres`: `discover`, or over the rows of a table `read`, or `write` from a file of COPY text.
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { connector } from '../../src/connectors/postgres/connector.ts';
import { readAll, writeAll } from '../support/passes.ts';
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
else if (what === 'read') await readAll(session, stream);
else await writeAll(session, stream, file);
report((performance.now() - started) / 1000);
await session.close();

async function discover(): Promise<void> {
  const streams = await session.discover();
  if (streams.length === 0) throw new Error('Nothing was found.');
}

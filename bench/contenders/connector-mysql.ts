// One pass of the connector `mysql` over the rows of a table: `read`, or `write` from a file of COPY text.
import { connector } from '../../src/connectors/mysql/connector.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { readAll, writeAll } from '../support/passes.ts';
import { report } from '../support/rates.ts';

const [what = '', url = '', stream = '', file = ''] = process.argv.slice(2);
const { hostname, port, username, pathname } = new URL(url);
const session = await connector.open(
  { host: hostname, port: Number(port), user: username, database: pathname.slice(1), tls: 'disable' },
  { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nonexistent' }), signal: new AbortController().signal },
);
await session.check();
const started = performance.now();
if (what === 'read') await readAll(session, stream);
else await writeAll(session, stream, file);
report((performance.now() - started) / 1000);
await session.close();

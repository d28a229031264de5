// One pass of the connector `http` over an API in pages, into batches of typed values.
import { withDefaults } from '../../src/connectors/config-values.ts';
import { ConfigSchema, type HttpConfig } from '../../src/connectors/http/config/config.ts';
import { connector } from '../../src/connectors/http/connector.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { report } from '../support/rates.ts';

const [port = '', expected = ''] = process.argv.slice(2);
const fields = [
  { name: 'id', type: 'int64' },
  { name: 'name', type: 'text' },
  { name: 'price', type: 'decimal' },
  { name: 'quantity', type: 'int64' },
  { name: 'active', type: 'boolean' },
  { name: 'note', type: 'text' },
  { name: 'created_at', type: 'timestamptz' },
  { name: 'updated_at', type: 'timestamptz' },
  { name: 'customer_id', type: 'int64', path: 'customer.id' },
  { name: 'city', type: 'text', path: 'customer.city' },
];
const stream = {
  name: 'articles',
  path: '/articles',
  records: 'data',
  key: ['id'],
  fields,
  paging: { type: 'cursor', param: 'page', next: 'next' },
};
const session = await connector.open(
  withDefaults(ConfigSchema, { base_url: `http://127.0.0.1:${port}`, streams: [stream] }) as HttpConfig,
  {
    reach: reachOf('any'),
    roots: rootsOf({ folders: [], dataDir: '/nonexistent' }),
    signal: new AbortController().signal,
  },
);
const started = performance.now();
let rows = 0;
let rejects = 0;
for await (const batch of session.read({ stream: 'articles', fields: fields.map(({ name }) => name), key: ['id'] })) {
  rows += batch.count;
  rejects += batch.rejects.length;
}
if (rows !== Number(expected) || rejects > 0) throw new Error(`${rows} rows and ${rejects} rejects instead of ${expected} rows.`);
report((performance.now() - started) / 1000);
await session.close();

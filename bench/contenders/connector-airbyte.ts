// One pass of the connector `airbyte` over an API in pages, into batches of typed values.
import { connector } from '../../src/connectors/airbyte/connector.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { report } from '../support/rates.ts';

const [port = '', expected = ''] = process.argv.slice(2);
const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const properties = {
  id: { type: 'integer' },
  name: text,
  price: { type: 'number' },
  quantity: { type: 'integer' },
  active: { type: 'boolean' },
  note: text,
  created_at: time,
  updated_at: time,
  customer: { type: 'object' },
};
const stream = {
  type: 'DeclarativeStream',
  name: 'articles',
  primary_key: 'id',
  schema_loader: { type: 'InlineSchemaLoader', schema: { type: 'object', properties } },
  retriever: {
    type: 'SimpleRetriever',
    requester: { type: 'HttpRequester', url_base: `http://127.0.0.1:${port}`, path: '/articles', http_method: 'GET' },
    record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data'] } },
    paginator: {
      type: 'DefaultPaginator',
      page_token_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'page' },
      pagination_strategy: {
        type: 'CursorPagination',
        cursor_value: "{{ response.get('next') }}",
        stop_condition: "{{ response.get('next') is none }}",
      },
    },
  },
};
const manifest = JSON.stringify({
  version: '6.0.0',
  type: 'DeclarativeSource',
  check: { type: 'CheckStream', stream_names: ['articles'] },
  streams: [stream],
});
const session = await connector.open(
  { manifest, settings: {} },
  { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nonexistent' }), signal: new AbortController().signal },
);
const started = performance.now();
let rows = 0;
let rejects = 0;
for await (const batch of session.read({ stream: 'articles', fields: Object.keys(properties), key: ['id'] })) {
  rows += batch.count;
  rejects += batch.rejects.length;
}
if (rows !== Number(expected) || rejects > 0) throw new Error(`${rows} rows and ${rejects} rejects instead of ${expected} rows.`);
report((performance.now() - started) / 1000);
await session.close();

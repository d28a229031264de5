import { type JsonObject, parseExactly } from '../../lib/exact-json.ts';
import type { CanonicalType, Row } from '../canonical.ts';
import { conformance } from '../conformance.ts';
import type { NewStream } from '../conformance/harness.ts';
import { fromJson, toJsonText } from '../json-values.ts';
import { type Handler, sendJson, startApi } from '../../../test/support/api-server.ts';
import type { AirbyteConfig } from './config.ts';
import { connector } from './connector.ts';

const PAGE = 20;

/** What the service holds of a stream: records as JSON texts, each with its place in the order of arrival. */
interface Table {
  stream: NewStream;
  records: Map<string, { text: string; place: number; cursor: string }>;
}

/** A service like many: paging by a cursor, and a filter by time. */
class Service {
  readonly tables: Table[] = [];
  #places = 0;

  make(stream: NewStream): void {
    const table: Table = { stream, records: new Map() };
    const known = this.tables.findIndex((other) => other.stream.name === stream.name);
    if (known === -1) this.tables.push(table);
    else this.tables[known] = table;
    this.put(table, stream.rows);
  }

  put(table: Table, rows: readonly Row[]): void {
    const { stream, records } = table;
    for (const row of rows) {
      const members = stream.fields.map(({ name, type }, index) => `${JSON.stringify(name)}:${toJsonText(type, row[index] ?? null)}`);
      const valueOf = (name: string): string => row[stream.fields.findIndex((field) => field.name === name)] ?? '';
      const id = stream.key.length > 0 ? JSON.stringify(stream.key.map(valueOf)) : String(this.#places);
      const place = records.get(id)?.place ?? ++this.#places;
      records.set(id, { text: `{${members.join(',')}}`, place, cursor: valueOf(stream.cursor ?? '').replace(' ', 'T') });
    }
  }

  readonly handle: Handler = ({ url }, response) => {
    const table = this.tables[Number(url.pathname.split('/')[2])];
    if (!table) return sendJson(response, { data: [], next: null });
    const after = Number(url.searchParams.get('cursor') ?? 0);
    const since = url.searchParams.get('since') ?? '';
    const rest = [...table.records.values()]
      .filter(({ place, cursor }) => place > after && cursor >= since)
      .sort((a, b) => a.place - b.place);
    const page = rest.slice(0, PAGE);
    const next = rest.length > PAGE ? (page.at(-1)?.place ?? 0) : null;
    return sendJson(response, `{"data":[${page.map(({ text }) => text).join(',')}],"next":${next}}`);
  };
}

const SCHEMAS: Readonly<Record<CanonicalType, JsonObject>> = {
  text: { type: 'string' },
  int64: { type: 'integer' },
  decimal: { type: 'number' },
  float64: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'time', airbyte_type: 'time_without_timezone' },
  timestamp: { type: 'string', format: 'date-time', airbyte_type: 'timestamp_without_timezone' },
  timestamptz: { type: 'string', format: 'date-time' },
  uuid: { type: 'string' },
  json: {},
  binary: { type: 'string' },
};
/** Types that a JSON Schema has no word for. */
const TOLD: Partial<Record<CanonicalType, CanonicalType>> = { float64: 'decimal', uuid: 'text', binary: 'text' };

function declare({ name, fields, key, cursor }: NewStream, index: number, url: string): object {
  return {
    type: 'DeclarativeStream',
    name,
    primary_key: key,
    retriever: {
      type: 'SimpleRetriever',
      requester: { type: 'HttpRequester', url_base: url, path: `/tables/${index}`, http_method: 'GET' },
      record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data'] } },
      paginator: {
        type: 'DefaultPaginator',
        page_token_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'cursor' },
        pagination_strategy: { type: 'CursorPagination', cursor_value: '{{ response.next }}', stop_condition: '{{ not response.next }}' },
      },
    },
    ...(cursor !== undefined && {
      incremental_sync: {
        type: 'DatetimeBasedCursor',
        cursor_field: cursor,
        datetime_format: '%Y-%m-%dT%H:%M:%S.%f',
        start_datetime: '2000-01-01T00:00:00.000000',
        start_time_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'since' },
      },
    }),
    schema_loader: {
      type: 'InlineSchemaLoader',
      schema: { type: 'object', properties: Object.fromEntries(fields.map((field) => [field.name, SCHEMAS[field.type]])) },
    },
  };
}

conformance('airbyte', {
  connector,
  start: async () => {
    const service = new Service();
    const api = await startApi(service.handle);
    const config: AirbyteConfig = {
      // Sessions that are open already are to know new streams too.
      get manifest(): string {
        const empty = { name: 'always', fields: [{ name: 'id', type: 'text' as const, nullable: true }], key: [], rows: [] };
        const streams = [...service.tables.map(({ stream }) => stream), empty].map((stream, index) => declare(stream, index, api.url));
        return JSON.stringify({
          version: '6.0.0',
          type: 'DeclarativeSource',
          check: { type: 'CheckStream', stream_names: ['always'] },
          streams,
        });
      },
      settings: {},
    };
    return {
      config,
      create: async (stream) => service.make(stream),
      change: async (stream, { put = [], remove = [] }) => {
        const table = service.tables.find((other) => other.stream.name === stream.name) as Table;
        for (const key of remove) table.records.delete(JSON.stringify(key));
        service.put(table, put);
      },
      contents: async ({ name, fields }) =>
        [...(service.tables.find((table) => table.stream.name === name)?.records.values() ?? [])].map(({ text }) => {
          const record = parseExactly(text) as JsonObject;
          return fields.map((field) => fromJson(field.type, record[field.name]) ?? null);
        }),
      cut: async () => api.server.closeAllConnections(),
      connections: () => new Promise((resolve) => api.server.getConnections((_, count) => resolve(count))),
      close: () => api.close(),
    };
  },
  typeOf: ({ type }) => TOLD[type] ?? type,
  // In JSON, a value that is null and a value that is not there cannot be told apart. A number of a schema is a decimal, which has no exponent.
  lacks: (type, value) => (type === 'json' && value === 'null') || (type === 'float64' && value.includes('e')),
  cannot: { outOfOrder: 'a service has no transactions', breakCommit: 'it is only read' },
});

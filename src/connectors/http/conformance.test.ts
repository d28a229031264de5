import { type JsonObject, parseExactly } from '../../lib/exact-json.ts';
import type { Row } from '../canonical.ts';
import { conformance } from '../conformance.ts';
import type { NewStream } from '../conformance/harness.ts';
import { withDefaults } from '../config-values.ts';
import { fromJson } from '../json-values.ts';
import { type Handler, sendJson, startApi } from '../../../test/support/api-server.ts';
import { recordWriter } from './write/body.ts';
import { type HttpConfig, ConfigSchema } from './config/config.ts';
import { connector } from './connector.ts';
import { rowOf } from './answer/records.ts';

const PAGE = 20;

/** What the API holds of a stream: records as JSON texts, each with its place in the order of arrival. */
interface Table {
  stream: NewStream;
  records: Map<string, { text: string; place: number; cursor: string }>;
}

/** An API like many: cursor paging, a filter by time, one resource or a list in a request, DELETE by key. */
class Shop {
  readonly tables: Table[] = [];
  #places = 0;

  make(stream: NewStream): void {
    const table: Table = { stream, records: new Map() };
    const known = this.tables.findIndex((other) => other.stream.name === stream.name);
    if (known === -1) this.tables.push(table);
    else this.tables[known] = table;
    this.put(table, stream.rows.map(toRecord(stream)));
  }

  put(table: Table, texts: readonly string[]): number {
    let added = 0;
    for (const text of texts) {
      const record = parseExactly(text) as Record<string, unknown>;
      const id = table.stream.key.length > 0 ? JSON.stringify(table.stream.key.map((name) => textOf(record[name]))) : String(this.#places);
      const old = table.records.get(id);
      if (!old) added++;
      table.records.set(id, { text, place: old?.place ?? ++this.#places, cursor: textOf(record[table.stream.cursor ?? '']) });
    }
    return added;
  }

  readonly handle: Handler = ({ method, url, body }, response) => {
    const [, index = '', key] = url.pathname.slice(1).split('/');
    const table = this.tables[Number(index)];
    if (!table) return sendJson(response, { data: [], next: null });
    if (method === 'DELETE') {
      const isGone = table.records.delete(JSON.stringify([decodeURIComponent(key ?? '')]));
      return sendJson(response, {}, isGone ? 200 : 404);
    }
    if (method === 'POST') return this.#post(table, body, response);
    const after = Number(url.searchParams.get('cursor') ?? 0);
    const since = url.searchParams.get('since') ?? '';
    const rest = [...table.records.values()]
      .filter(({ place, cursor }) => place > after && cursor >= since)
      .sort((a, b) => a.place - b.place);
    const page = rest.slice(0, PAGE);
    const next = rest.length > PAGE ? (page.at(-1)?.place ?? 0) : null;
    return sendJson(response, `{"data":[${page.map(({ text }) => text).join(',')}],"next":${next}}`);
  };

  #post(table: Table, body: string, response: Parameters<Handler>[1]): void {
    const given = parseExactly(body) as JsonObject | JsonObject[];
    const records = Array.isArray(given) ? given : [given];
    const fields = table.stream.fields.map((field) => ({ ...field, path: [field.name] }));
    const isBad = records.some((record) => 'reject' in rowOf(record, fields));
    if (isBad) return sendJson(response, { error: { message: 'A value is not of its type.' } }, 422);
    const added = this.put(
      table,
      records.map((record) => JSON.stringify(record)),
    );
    return sendJson(response, {}, added === records.length ? 201 : 200);
  }
}

function toRecord({ fields }: Pick<NewStream, 'fields'>): (row: Row) => string {
  return recordWriter({ fields, places: new Map(), without: new Set(), omitsNulls: false });
}

function declare(stream: NewStream, index: number, batchSize: number): object {
  return {
    name: stream.name,
    path: `/tables/${index}`,
    records: 'data',
    key: [...stream.key],
    fields: stream.fields.map(({ name, type, nullable }) => ({ name, type, required: !nullable })),
    paging: { type: 'cursor', next: 'next' },
    ...(stream.cursor !== undefined && { incremental: { field: stream.cursor, param: 'since' } }),
    write: {
      modes: ['append', 'upsert'],
      path: `/tables/${index}`,
      batch_size: batchSize,
      ...(stream.key.length === 1 && { delete_path: `/tables/${index}/{${stream.key[0]}}` }),
    },
  };
}

for (const batchSize of [1, 7]) {
  conformance(`http with ${batchSize} records in a request`, {
    connector,
    start: async () => {
      const shop = new Shop();
      const api = await startApi(shop.handle);
      const filled = (streams: object[]): HttpConfig => withDefaults(ConfigSchema, { base_url: api.url, streams }) as HttpConfig;
      const config = filled([{ name: 'always', path: '/tables/none' }]);
      return {
        config,
        create: async (stream) => {
          shop.make(stream);
          const index = shop.tables.findIndex((table) => table.stream.name === stream.name);
          // Sessions that are open already are to know it too.
          config.streams.push(...filled([declare(stream, index, batchSize)]).streams);
        },
        change: async (stream, { put = [], remove = [] }) => {
          const table = shop.tables.find((other) => other.stream.name === stream.name) as Table;
          for (const key of remove) table.records.delete(JSON.stringify(key));
          shop.put(table, put.map(toRecord(stream)));
        },
        contents: async ({ name, fields }) =>
          [...(shop.tables.find((table) => table.stream.name === name)?.records.values() ?? [])].map(({ text }) => {
            const record = parseExactly(text) as JsonObject;
            return fields.map(
              (field) => fromJson(field.type, field.type === 'binary' ? hex(record[field.name]) : record[field.name]) ?? null,
            );
          }),
        cut: async () => api.server.closeAllConnections(),
        connections: () => new Promise((resolve) => api.server.getConnections((_, count) => resolve(count))),
        close: () => api.close(),
      };
    },
    // In JSON, a value that is null and a value that is not there cannot be told apart.
    lacks: (type, value) => type === 'json' && value === 'null',
    countsUnchanged: false,
    cannot: { outOfOrder: 'an API has no transactions', breakCommit: 'an API has no transactions' },
  });
}

function textOf(value: unknown): string {
  return fromJson('text', value) ?? '';
}

function hex(value: unknown): unknown {
  return typeof value === 'string' ? `\\x${Buffer.from(value, 'base64').toString('hex')}` : value;
}

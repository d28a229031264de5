import { gzipSync } from 'node:zlib';
import { type Part, partOf, typeOf } from '../../../src/connectors/airbyte/runtime/parts.ts';

/** A body as the manifest's decoder wants it. */
export function encoded(decoder: Part | undefined, value: unknown): { body: Buffer; type: string } {
  switch (typeOf(decoder)) {
    case 'GzipDecoder': {
      const inner = encoded(partOf(decoder?.['decoder']), value);
      return { body: gzipSync(inner.body), type: 'application/gzip' };
    }
    case 'CsvDecoder':
      return { body: Buffer.from(csv(value as Record<string, unknown>[])), type: 'text/csv' };
    case 'JsonlDecoder':
      return { body: Buffer.from((value as unknown[]).map((one) => `${JSON.stringify(one)}\n`).join('')), type: 'application/jsonl' };
    case 'XmlDecoder':
      return { body: Buffer.from(xml(value)), type: 'application/xml' };
    default:
      return { body: Buffer.from(JSON.stringify(value)), type: 'application/json' };
  }
}

function csv(records: readonly Record<string, unknown>[]): string {
  const names = Object.keys(records[0] ?? {});
  const cell = (value: unknown): string => `"${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""')}"`;
  return [names.map(cell), ...records.map((record) => names.map((name) => cell(record[name])))].map((row) => `${row.join(',')}\n`).join('');
}

function xml(value: unknown): string {
  const element = (name: string, inner: unknown): string => {
    if (Array.isArray(inner)) return inner.map((entry) => element(name, entry)).join('');
    if (typeof inner === 'object' && inner !== null)
      return `<${name}>${Object.entries(inner)
        .map(([own, member]) => element(own, member))
        .join('')}</${name}>`;
    return `<${name}>${String(inner).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`;
  };
  return `<?xml version="1.0"?>${Object.entries(value as object)
    .map(([name, inner]) => element(name, inner))
    .join('')}`;
}

import assert from 'node:assert/strict';
import type { Field, Stream } from '../../src/connectors/contract.ts';
import { findManifest } from '../../src/connectors/registry.ts';
import type { StreamDefinition } from '../../src/engine/definition.ts';
import { type EndView, endView } from '../../src/engine/plan/end-view.ts';
import { type PlannedStream, type PlanInput, planStream } from '../../src/engine/plan/plan.ts';

export const FIELDS: readonly Field[] = [
  { name: 'id', type: 'int64', nullable: false, native: 'int8' },
  { name: 'name', type: 'text', nullable: true, native: 'character varying(20)' },
  { name: 'amount', type: 'decimal', nullable: true, native: 'numeric(10,2)', precision: 10, scale: 2 },
  { name: 'active', type: 'boolean', nullable: true },
  { name: 'born', type: 'date', nullable: true },
  { name: 'details', type: 'json', nullable: true },
  { name: 'updated_at', type: 'timestamptz', nullable: false },
];

export const CUSTOMERS: Stream = {
  name: 'public.customers',
  kind: 'table',
  fields: FIELDS,
  key: ['id'],
  cursors: ['updated_at', 'id'],
  writable: true,
  estimatedRows: 3,
};

const MIRROR: StreamDefinition = {
  source: 'public.customers',
  target: 'customers',
  mode: 'mirror',
  key: ['id'],
  cursor: null,
  fields: null,
  filter: [],
  deletes: 'delete',
};

/** One end, as its connector is; the stream, as it may have been found. */
export function end(type: string, stream?: Stream): EndView {
  const manifest = findManifest(type);
  assert.ok(manifest);
  return endView(manifest, stream);
}

export function table(types: Record<string, Field['type']>, change: Partial<Stream> = {}): Stream {
  const fields = Object.entries(types).map(([name, type]) => ({ name, type, nullable: true }));
  return { ...CUSTOMERS, name: 'customers', fields, ...change };
}

/** A mirror of customers from PostgreSQL into SQLite, unless something else is said. */
export function plan(definition: Partial<StreamDefinition> = {}, input: Partial<Omit<PlanInput, 'definition'>> = {}): PlannedStream {
  return planStream({
    index: 2,
    definition: { ...MIRROR, ...definition },
    source: end('postgres', CUSTOMERS),
    target: end('sqlite'),
    schemaChanges: 'apply',
    known: null,
    ...input,
  });
}

export function faultsOf(...given: Parameters<typeof plan>): string[] {
  return plan(...given).faults.map(({ field, reason }) => `${field} ${reason}`);
}

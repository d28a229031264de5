// A table that was made for a stream takes what the stream holds, also when it is looked at again.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { mysqlDatabase } from '../../../test/support/mysql-database.ts';
import { end } from '../../../test/support/plan-fixture.ts';
import { newDatabase } from '../../../test/support/postgres-database.ts';
import { CANONICAL_TYPES } from '../../connectors/canonical.ts';
import { withDefaults } from '../../connectors/config-values.ts';
import type { Field, Stream } from '../../connectors/contract.ts';
import type { Session } from '../../connectors/session.ts';
import { reachOf } from '../../outside/reach.ts';
import { loadConnector } from '../../connectors/load.ts';
import { rootsOf } from '../../outside/roots.ts';
import { planStream } from './plan.ts';

const FIELDS: readonly Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  ...CANONICAL_TYPES.map((type): Field => ({ name: `a_${type}`, type, nullable: true })),
  { name: 'price', type: 'decimal', nullable: false, precision: 12, scale: 4 },
];
const SOURCE: Stream = {
  name: 's',
  kind: 'table',
  fields: FIELDS,
  key: ['id'],
  cursors: [],
  writable: true,
  estimatedRows: null,
};

const TARGETS: Record<string, (t: TestContext) => Promise<{ config: unknown; stream: string }>> = {
  postgres: async (t) => {
    const database = await newDatabase();
    t.after(() => database.close());
    return { config: database.config, stream: 'public.t' };
  },
  mysql: async (t) => {
    const database = await mysqlDatabase();
    t.after(() => database.close());
    const { host, port, user, password, name } = database;
    return { config: { host, port, user, password, database: name }, stream: 't' };
  },
  sqlite: async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'syncline-plan-'));
    t.after(() => rmSync(folder, { recursive: true }));
    return { config: { path: join(folder, 't.db') }, stream: 't' };
  },
};

for (const [type, prepare] of Object.entries(TARGETS)) {
  test(`a table that was made in ${type} takes the same again`, async (t) => {
    const { config, stream } = await prepare(t);
    const connector = await loadConnector(type);
    const context = {
      reach: reachOf('any'),
      roots: rootsOf({ folders: [tmpdir()], dataDir: join(tmpdir(), 'nowhere') }),
      signal: new AbortController().signal,
    };
    const session: Session = await connector.open(withDefaults(connector.manifest.config, config) as never, context);
    t.after(() => session.close());
    const definition = {
      source: 's',
      target: stream,
      mode: 'mirror',
      key: ['id'],
      cursor: null,
      fields: null,
      filter: [],
      deletes: 'delete',
    } as const;
    const plan = (found: Stream | undefined) =>
      planStream({ index: 0, definition, source: end('fake', SOURCE), target: end(type, found), schemaChanges: 'stop', known: FIELDS });
    const first = plan(undefined).plan;
    assert.ok(first);
    const writer = await session.write({ ...first.write, owner: 'o', token: 1n });
    await writer.finish();
    await writer.close();
    const found = (await session.discover([stream])).find(({ name }) => name === stream);
    assert.ok(found);
    const second = plan(found);
    assert.deepEqual(second.faults, []);
    assert.deepEqual(second.plan?.outputs, first.outputs);
  });
}

// The cases of structures are tested: each of these breaks a real connector in one way, and one of them has to notice.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCase } from '../../conformance.ts';
import { structureCases, structureClaimCases } from '../../conformance/structure.ts';
import { rootsOf } from '../../../outside/roots.ts';
import type { Session } from '../../session.ts';
import type { PlainStructure, StructuredStream, Structuring } from '../../structure.ts';
import { connector } from '../connector.ts';

type Mutation = (structure: Structuring) => Partial<Structuring> | undefined;

/** What is told of each stream, changed. */
const telling =
  (change: (plain: PlainStructure) => Partial<PlainStructure>): Mutation =>
  (structure) => ({
    describe: async (streams, signal) =>
      new Map(
        [...(await structure.describe(streams, signal))].map(([name, told]) => [
          name,
          { ...told, plain: { ...told.plain, ...change(told.plain) } },
        ]),
      ),
  });

/** What each stream is to have, changed. */
const making =
  (change: (plain: PlainStructure) => Partial<PlainStructure>): Mutation =>
  (structure) => {
    const changed = (stream: StructuredStream): StructuredStream => {
      const { described } = stream;
      return described ? { ...stream, described: { ...described, plain: { ...described.plain, ...change(described.plain) } } } : stream;
    };
    return {
      complete: (stream, signal) => structure.complete(changed(stream), signal),
      connect: (streams, signal) => structure.connect(streams.map(changed), signal),
    };
  };

const MUTANTS: Readonly<Record<string, Mutation>> = {
  'claims what it does not have': () => undefined,
  'tells of streams in another language': (structure) => ({
    describe: async (streams, signal) =>
      new Map([...(await structure.describe(streams, signal))].map(([name, told]) => [name, { ...told, language: 'x' }])),
  }),
  'tells no defaults': telling(({ columns }) => ({ columns: columns.map((column) => ({ ...column, default: null })) })),
  'tells no NOT NULL': telling(({ columns }) => ({ columns: columns.map((column) => ({ ...column, notNull: false })) })),
  'tells no keys': telling(() => ({ key: [] })),
  'tells no next numbers': telling(({ columns }) => ({ columns: columns.map((column) => ({ ...column, next: null })) })),
  'tells unique indexes as any other': telling(({ indexes }) => ({ indexes: indexes.map((one) => ({ ...one, isUnique: false })) })),
  'tells references without their actions': telling(({ references }) => ({
    references: references.map((one) => ({ ...one, onDelete: 'no action' })),
  })),
  'makes no indexes': making(() => ({ indexes: [] })),
  'makes no unique indexes': making(({ indexes }) => ({ indexes: indexes.filter(({ isUnique }) => !isUnique) })),
  'makes one index of several that are called alike': making(({ indexes }) => ({
    indexes: indexes.filter(({ name }, at) => indexes.findIndex((one) => one.name?.slice(0, 63) === name?.slice(0, 63)) === at),
  })),
  'does not move numbers': making(({ columns }) => ({ columns: columns.map((column) => ({ ...column, next: null })) })),
  'says nothing of other words': making(() => ({ others: [] })),
  'says nothing of what could not be made': (structure) => ({
    complete: async (stream, signal) => (await structure.complete(stream, signal)).filter((told) => !told.includes('could not be made')),
  }),
  'says nothing of rows that break references': (structure) => ({
    connect: async (streams, signal) => new Map([...(await structure.connect(streams, signal))].map(([name]) => [name, []])),
  }),
  'fails when rows are against it': (structure) => ({
    complete: async (stream, signal) => {
      const told = await structure.complete(stream, signal);
      if (told.some((one) => one.includes('could not be made'))) throw new Error(told.join());
      return told;
    },
  }),
  'completes nothing': () => ({ complete: async () => [] }),
};

describe('the conformance suite notices a connector of structures that', () => {
  for (const [name, mutate] of Object.entries(MUTANTS))
    test(name, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'syncline-noticed-'));
      const open: typeof connector.open = async (config, context): Promise<Session> => {
        const session = await connector.open(config, context);
        const { structure, ...rest } = session;
        const mutation = structure && mutate(structure);
        return structure && mutation ? { ...rest, structure: { ...structure, ...mutation } } : rest;
      };
      const system = {
        config: { path: join(folder, 'noticed.db'), create: true, busy_timeout_ms: 5000 },
        context: { roots: rootsOf({ folders: [folder], dataDir: '/nowhere' }) },
      };
      const harness = { connector: { ...connector, open }, start: async () => system };
      try {
        for (const one of [...structureClaimCases, ...structureCases]) {
          const isHeld = await runCase(one, harness, system).then(
            () => true,
            () => false,
          );
          if (!isHeld) return t.diagnostic(`noticed by: ${one.name}`);
        }
        return assert.fail('nothing was noticed');
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
});

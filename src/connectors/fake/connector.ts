import type { Stream } from '../contract.ts';
import type { Connector } from '../session.ts';
import { openApplier } from './apply.ts';
import { Script } from './faults.ts';
import { logOf } from './log.ts';
import { type FakeConfig, manifest } from './manifest.ts';
import { memoryOf, type FakeTable } from './memory.ts';
import { read } from './read.ts';
import { openWriter } from './write.ts';

export const connector: Connector<FakeConfig> = {
  manifest,
  open: async (config, context) => {
    const memory = memoryOf(config);
    const closing = new AbortController();
    const ending = AbortSignal.any([context.signal, closing.signal]);
    const script = new Script(memory, config, ending);
    return {
      check: async () => {
        await script.at('check');
        return { message: `A fake with ${memory.tables.size} streams.`, warnings: [] };
      },
      discover: async () => {
        await script.at('discover');
        return [...memory.tables].map(([name, table]) => streamOf(name, table));
      },
      read: (request) => read(memory, script, request),
      write: (request) => openWriter(memory, script, request),
      log: logOf(memory, script, ending),
      apply: (request) => openApplier(memory, script, request),
      close: async () => closing.abort(),
    };
  },
};

function streamOf(name: string, table: FakeTable): Stream {
  return {
    name,
    kind: 'table',
    fields: table.fields,
    key: table.key,
    cursors: table.cursors,
    writable: true,
    estimatedRows: table.rows.size,
  };
}

import type { Harness } from '../conformance/harness.ts';
import { connector } from './connector.ts';
import type { FakeConfig } from './manifest.ts';
import { identityOfKey, memoryOf } from './memory.ts';

let count = 0;

/** The fake as the conformance suite sees it: a system that can do everything. */
export const harness: Harness<FakeConfig> = {
  connector,
  start: async () => {
    const config: FakeConfig = { name: `conformance ${++count}`, streams: [], fail: [], delay_ms: 0 };
    const memory = memoryOf(config);
    return {
      config,
      contents: async ({ name, fields }) => {
        const table = memory.table(name);
        const at = fields.map((field) => table.fields.findIndex((other) => other.name === field.name));
        return [...table.rows.values()].map(({ values }) => at.map((index) => values[index] ?? null));
      },
      outOfOrder: async ({ name }, early, late) => {
        const [first, second] = [memory.begin(), memory.begin()];
        first.put(memory.table(name), early);
        second.put(memory.table(name), late);
        second.commit();
        return async () => first.commit();
      },
      transact: async (changes) => {
        memory.log.transact(() => {
          for (const change of changes) {
            const table = memory.table(change.stream.name);
            if (change.op === 'truncate') memory.truncate(table);
            else if (change.op === 'insert') memory.put(table, change.row);
            else if (change.op === 'delete') memory.remove(table, identityOfKey(table, change.key));
            else memory.replace(table, identityOfKey(table, change.key), change.row);
          }
        });
      },
      cut: async () => {
        memory.epoch++;
      },
      breakCommit: async (moment) => {
        memory.faults.push({ at: moment === 'before' ? 'write' : 'commit', kind: 'transient', times: 1 });
      },
      connections: async () => memory.open,
    };
  },
};

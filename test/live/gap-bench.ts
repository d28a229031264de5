import assert from 'node:assert/strict';
import { preparedPlace, type Place } from '../support/databases.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { demandEqual } from './books.ts';
import type { PlainClient } from '../../src/cli/prove/plain-client.ts';
import { type EndType, type LiveEnd, startEnd } from './ends.ts';
import { LiveSync } from './live-sync.ts';

/** Within so long a gap has to be recognised and named. */
export const NAMED_WITHIN = 60_000;

/** Two ends and a service, for gaps that are made on purpose. */
export interface GapBench {
  readonly source: LiveEnd;
  readonly target: LiveEnd;
  /** Connections to both. */
  readonly from: PlainClient;
  readonly to: PlainClient;
  readonly service: Reachable;
  /** A synchronization of these tables, each with some rows, that is live. */
  live(tables: readonly string[], more?: object): Promise<LiveSync>;
  /** Waits until the log of a synchronization names what has happened, and answers the streams that it says it of. */
  named(sync: LiveSync, words: RegExp): Promise<string[]>;
  /** Waits until all is live and equal. */
  healed(sync: LiveSync): Promise<void>;
  close(): Promise<void>;
}

export async function startGapBench(types: { source: EndType; target: EndType }, settings?: string): Promise<GapBench> {
  const place: Place = await preparedPlace('sqlite');
  const source = await startEnd(types.source, place, settings);
  const target = await startEnd(types.target, place);
  const service: Service = await startService('sqlite', { place });
  const reachable: Reachable = { url: service.url, adminKey: service.adminKey, logs: () => '' };
  const [from, to] = [await source.connect(), await target.connect()];
  return {
    source,
    target,
    from,
    to,
    service: reachable,
    live: async (tables, more = {}) => {
      for (const table of tables) {
        await from.run(`create table ${table} (id int not null primary key, v int)`);
        await from.run(`insert into ${table} values (1, 1), (2, 2), (3, 3)`);
      }
      const sync = new LiveSync({ source, target }, tables, more);
      await sync.create(reachable);
      await sync.live(reachable);
      await demandEqual({ source, target }, tables);
      return sync;
    },
    named: async (sync, words) => {
      const began = performance.now();
      let told: { message: string; stream: string | null }[] = [];
      try {
        const found = await until(
          `a word of ${String(words)}`,
          async () => {
            told = (await sync.ask(reachable, 'GET', `/logs?sync_id=${sync.id}&level=warn&limit=100`)) ?? [];
            const matching = told.filter(({ message }) => words.test(message));
            return matching.length > 0 && matching;
          },
          NAMED_WITHIN,
        );
        assert.ok(performance.now() - began < NAMED_WITHIN);
        return [...new Set(found.flatMap(({ stream }) => stream ?? []))].sort();
      } catch (error) {
        throw new Error(`${(error as Error).message}; told was ${JSON.stringify(told)}; ${JSON.stringify(await sync.look(reachable))}`, {
          cause: error,
        });
      }
    },
    healed: async (sync) => {
      await demandEqual({ source, target }, sync.tables, async () => JSON.stringify(await sync.look(reachable)));
      await sync.live(reachable);
    },
    close: async () => {
      await service.close();
      await from.close();
      await to.close();
      await source.close();
      await target.close();
      await place.remove();
    },
  };
}

/** Changes of each kind, so that a load that is missing shows. */
export async function disturb({ from }: GapBench, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await from.run(`update ${table} set v = v + 100 where id = 1`);
    await from.run(`delete from ${table} where id = 2`);
    await from.run(`insert into ${table} values (4, 4)`);
  }
}

/** Pauses a synchronization, and waits until nobody follows its source. */
export async function paused({ service }: GapBench, sync: LiveSync): Promise<void> {
  await sync.demand(service, 'POST', `/sync/${sync.id}/pause`);
  await until('its run to end', async () => (await sync.look(service))?.current_run === null);
}

export async function resume({ service }: GapBench, sync: LiveSync): Promise<void> {
  await sync.demand(service, 'POST', `/sync/${sync.id}/resume`);
}

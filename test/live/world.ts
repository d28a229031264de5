import assert from 'node:assert/strict';
import { preparedPlace, type Place } from '../support/databases.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import type { Random } from '../crash/random.ts';
import { arrived, demandCounted, demandEqual, Looker } from './books.ts';
import { Changing } from './changes.ts';
import { type EndType, type LiveEnd, startEnd } from './ends.ts';
import { LiveSync } from './live-sync.ts';
import { FIRST_TABLES, prepareTarget } from './tables.ts';

/** The ends between which everything has to hold. */
export const PAIRS: readonly (readonly [EndType, EndType])[] = [
  ['postgres', 'postgres'],
  ['mysql', 'postgres'],
  ['postgres', 'mysql'],
  ['postgres', 'sqlite'],
];

/** The one that PAIR names (`mysql-postgres`), to look for a fault. */
export const isAsked = (pair: readonly EndType[]): boolean => (process.env['PAIR'] ?? pair.join('-')) === pair.join('-');

/** Two ends, a source that changes all the time, and those who look at the target. */
export interface World {
  readonly place: Place;
  readonly ends: { readonly source: LiveEnd; readonly target: LiveEnd };
  readonly changing: Changing;
  readonly looker: Looker;
  readonly sync: LiveSync;
  /** Creates the synchronization, lets it be loaded, and begins to count. */
  begin(service: Reachable): Promise<void>;
  /** Lets the source rest, waits for the target, and looks at everything. Answers how much there was to look at. */
  check(service: Reachable): Promise<string>;
  close(): Promise<void>;
}

export async function makeWorld(
  random: Random,
  [from, to]: readonly [EndType, EndType],
  own: 'sqlite' | 'postgres' = 'sqlite',
): Promise<World> {
  const place = await preparedPlace(own);
  const source = await startEnd(from, place);
  const target = await startEnd(to, place);
  const ends = { source, target };
  const changing = new Changing(random, source);
  await changing.prepare();
  const prepared = await target.connect();
  await prepareTarget(prepared, to);
  await prepared.close();
  const looker = new Looker(target);
  const sync = new LiveSync(ends, FIRST_TABLES);
  let counted = 0;
  return {
    place,
    ends,
    changing,
    looker,
    sync,
    begin: async (service) => {
      changing.start();
      await sync.create(service);
      await sync.live(service);
      // What comes from now on no load has seen.
      counted = changing.lastNumber;
      await arrived(
        target,
        await changing.mark(),
        () => sync.progress(service),
        () => service.logs(),
      );
      looker.start();
    },
    check: async (service) => {
      await changing.stop();
      const told = (): Promise<string> => sync.story(service);
      await arrived(target, await changing.mark(), () => sync.progress(service), told);
      await demandEqual(ends, sync.tables, told);
      await sync.live(service);
      await looker.stop();
      const changes = await demandCounted(ends, counted);
      assert.deepEqual(looker.wrong.slice(0, 5), [], `${looker.wrong.length} of ${looker.looks} times the accounts did not add up`);
      const failed = (await sync.runs(service)).filter(({ error }) => error !== null && error !== undefined && error.kind !== 'transient');
      assert.deepEqual(
        failed.map(({ status, error }) => ({ status, error })),
        [],
        JSON.stringify(await sync.faults(service), undefined, 1),
      );
      const { transactions, reshaped, emptied, failures } = changing;
      return JSON.stringify({ changes, looks: looker.looks, transactions, reshaped, emptied, failures: Object.fromEntries(failures) });
    },
    close: async () => {
      await changing.stop();
      await looker.stop();
      await source.close();
      await target.close();
      await place.remove();
    },
  };
}

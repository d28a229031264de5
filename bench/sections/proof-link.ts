import { slowLink } from '../../test/support/slow-link.ts';
import type { SyncSection } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/processes.ts';
import { psql } from '../support/psql.ts';
import { compare } from '../support/report.ts';
import { createPostgresSource, createSync, type RunPass, runSync } from '../support/synchronizations.ts';
import { startSyncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';

const BYTES_PER_SECOND = 10_000_000;

/** Both servers are behind one link: what passes there to compare both ends, next to what a first load takes. */
export const link: SyncSection = async ({ rows }) => {
  const { source, target } = await twoDatabases(rows);
  const slow = slowLink(BYTES_PER_SECOND);
  atEnd(() => slow.close());
  const syncline = await startSyncline(temporaryFolder());
  const through = async (url: string): Promise<string> => {
    const { hostname, port } = new URL(url);
    const near = Object.assign(new URL(url), {
      hostname: '127.0.0.1',
      port: String(await slow.to({ host: hostname, port: Number(port) })),
    });
    return createPostgresSource(syncline, near.href);
  };
  const [source_id, target_id] = [await through(source), await through(target)];
  const streams = [{ source: 'public.rows', target: 'public.ours', mode: 'mirror' }];
  const sync = await createSync(syncline, { source_id, target_id, streams });
  const passed = async (mode: 'run' | 'verify'): Promise<RunPass & { bytes: number }> => {
    const before = slow.bytes;
    const pass = await runSync(syncline, sync, mode);
    return { ...pass, bytes: slow.bytes - before };
  };
  const load = await passed('run');
  psql(target, 'vacuum analyze ours', 'checkpoint');
  const verify = await passed('verify');
  const proof = verify.run.streams[0]?.proof;
  if (proof?.result !== 'equal' || proof.rows !== rows) throw new Error(`They are not equal: ${JSON.stringify(proof)}`);
  const mirror = await passed('run');
  if (mirror.run.totals.unchanged !== rows) throw new Error(`They are not equal: ${JSON.stringify(mirror.run.totals)}`);
  const megabytes = ({ bytes }: { bytes: number }): number[] => [bytes / 1e6];
  for (const [what, pass] of [
    ['verify', verify],
    ['mirror', mirror],
  ] as const) {
    const words = `Over 10 MB/s: ${what} of ${rows.toLocaleString('en-US')} equal rows, against our first load`;
    compare(`${words}, bytes`, 'MB', { ours: megabytes(pass), reference: megabytes(load) }, { atMost: 0.05 });
    compare(`${words}, time`, 's', { ours: [pass.seconds], reference: [load.seconds] });
  }
};

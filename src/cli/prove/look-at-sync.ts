import type { Random } from '../../sample/random.ts';
import type { SyncFindings } from './findings.ts';
import type { KitEnd } from './kit-end.ts';
import type { KitMode } from './kit-tables.ts';
import { comparePlainly, isEqual, type PlainComparison } from './plain-comparison.ts';
import { plantDifferences } from './planted.ts';
import type { DrivenProof, DrivenRun, RunDriver } from './run-driver.ts';
import type { Reachable } from './service-process.ts';

export interface LookedAt {
  readonly source: KitEnd;
  readonly target: KitEnd;
  readonly driver: RunDriver;
  readonly service: Reachable;
  /** The highest id that a row of the source ever had. */
  readonly lastId: number;
}

/** What is live needs a moment to have everything; each look waits for it by itself. */
const LOOKS = 5;

/** Verifies a synchronization whose source rests, by `verify` and without it, and tries both: what is made different has to be found, and repaired. */
export async function lookAtSync(mode: KitMode, looked: LookedAt, random: Random): Promise<SyncFindings> {
  const { source, target, driver, service } = looked;
  const faults: string[] = [];
  const plainly = (): Promise<PlainComparison> => comparePlainly(mode, looked, looked.lastId);
  const verify = await verified(driver, service, mode);
  const plain = await plainly();
  if (verify.result !== 'equal') faults.push(`verify says ${wordsOf(verify)}`);
  if (!isEqual(plain)) faults.push(`the plain comparison finds ${JSON.stringify(plain)}`);
  if (verify.rows !== plain.rows) faults.push(`verify has seen ${verify.rows} rows, and there are ${plain.rows}`);
  const runs = await driver.runs(service, mode);
  faults.push(...countFaults(runs, plain));
  const planted = await plantDifferences(mode, target, source, random);
  const found = await verified(driver, service, mode);
  for (const kind of ['missing', 'different', 'extra'] as const)
    if (found[kind] !== planted[kind])
      faults.push(`of the differences that were planted, ${planted[kind]} are ${kind}, and verify finds ${found[kind]}`);
  if (found.result !== 'differs') faults.push(`with planted differences verify says ${found.result}`);
  const repair = await driver.doRun(service, mode, 'repair');
  const repaired = { result: repair.streams[0]?.proof?.result ?? `${repair.status}: ${repair.error?.message}`, plain: await plainly() };
  if (repaired.result !== 'equal' || !isEqual(repaired.plain))
    faults.push(`after the repair: ${repaired.result}, ${JSON.stringify(repaired.plain)}`);
  const { result, rows, digest, position, duration_ms } = verify;
  return {
    mode,
    runs: runs.length,
    retried: runs.filter(({ attempt }) => attempt > 1).length,
    verify: { result, rows, digest, ...(position && { position }), ms: duration_ms },
    plain,
    planted,
    found: { result: found.result, missing: found.missing, different: found.different, extra: found.extra },
    repaired,
    faults,
  };
}

async function verified(driver: RunDriver, service: Reachable, mode: KitMode): Promise<DrivenProof> {
  for (let look = 1; ; look++) {
    const { status, error, streams } = await driver.doRun(service, mode, 'verify');
    const proof = streams[0]?.proof;
    if (!proof) throw new Error(`The verify of ${mode} ended ${status}: ${error?.message}`);
    if (proof.result !== 'changing' || look === LOOKS) return proof;
  }
}

/** What the runs tell of themselves has to be what is there. Of live ones it is not asked: what is killed is counted by the next one. */
function countFaults(runs: readonly DrivenRun[], { rows, kept }: PlainComparison): string[] {
  if (runs.some(({ live }) => live)) return [];
  const sum = (name: 'inserted' | 'deleted' | 'rejected'): number => runs.reduce((all, run) => all + run.totals[name], 0);
  const [inserted, deleted, rejected] = [sum('inserted'), sum('deleted'), sum('rejected')];
  return [
    ...(rejected === 0 ? [] : [`the runs tell of ${rejected} rejected rows`]),
    ...(inserted - deleted === rows + kept
      ? []
      : [`the runs tell of ${inserted} rows inserted and ${deleted} deleted, and the target has ${rows + kept}`]),
  ];
}

function wordsOf({ result, missing, extra, different }: DrivenProof): string {
  return `${result}: ${missing} missing, ${extra} extra, ${different} different`;
}

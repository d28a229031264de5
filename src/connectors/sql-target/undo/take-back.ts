import { fenced, OutsideError } from '../../../outside/errors.ts';
import type { RestoredRow, UndoneStream, UndoRequest, UndoResult } from '../../undo.ts';
import type { Eventual } from '../transact.ts';
import { demandWhole, newerFirst, nothingKept, undoRefused } from './faults.ts';
import type { KeptRun } from './kept-run.ts';
import { countsOf, leftRow, type ListedRow, restoredRow } from './shown.ts';
import { listRows, type UndoAct, type UndoTable } from './statements.ts';

/** What really differs between SQL systems where a run is taken back. All of it happens within the one transaction. */
export interface UndoDialect {
  /** Does something in a transaction, which counts only with `isMeant`. */
  transaction<Result>(isMeant: boolean, work: () => Promise<Result>): Promise<Result>;
  /** Nobody works for these owners with a lower token any more; false when another worker has a higher one. */
  fence(owners: readonly string[], token: bigint): Eventual<boolean>;
  /** What is kept of a run, in the order in which its streams were opened. Nobody else takes it back until the end. */
  keptOf(run: string): Eventual<readonly KeptRun[]>;
  /** Later runs of the synchronization that have something to be taken back of the same table. */
  newerThan(kept: KeptRun, sync: string): Eventual<readonly string[]>;
  /** The table, which nobody else writes to until the end. */
  tableOf(kept: KeptRun): Eventual<UndoTable>;
  /** Keeps the verdicts of a table in a table that is gone in the end, and answers its name. */
  judge(of: UndoTable, kept: KeptRun): Eventual<string>;
  rows(statement: string): Eventual<readonly ListedRow[]>;
  remove(of: UndoTable, acts: string): Eventual<void>;
  change(of: UndoTable, acts: string): Eventual<void>;
  bring(of: UndoTable, acts: string): Eventual<void>;
  /** Does something that is taken back alone when it fails. */
  attempt(work: () => Promise<void>): Promise<void>;
  /** Writes down that it was taken back, and forgets what was kept. */
  done(kept: KeptRun, outcome: string): Eventual<void>;
}

interface Judged {
  readonly kept: KeptRun;
  readonly of: UndoTable;
  readonly acts: string;
}

const SAMPLES = 5;

/** Takes a run back, or shows what that would do. */
export function takeBack(dialect: UndoDialect, request: UndoRequest): Promise<UndoResult> {
  const { run, sync, preview } = request;
  return dialect.transaction(!preview, async () => {
    if (!preview && !(await dialect.fence(request.owners, request.token))) throw fenced();
    const all = inOrder(await dialect.keptOf(run), request.streams);
    if (all.length === 0) throw nothingKept(run);
    const before = all.map(({ outcome }) => outcome).filter((outcome) => outcome !== null);
    if (before.length === all.length) return { streams: before.map((text) => JSON.parse(text) as UndoneStream), isAgain: true };
    demandWhole(all);
    const newer = new Set<string>();
    for (const kept of all) for (const other of await dialect.newerThan(kept, sync)) newer.add(other);
    if (newer.size > 0) throw newerFirst(run, [...newer].sort().toReversed());
    const judged: Judged[] = [];
    for (const kept of all) {
      const of = await dialect.tableOf(kept);
      judged.push({ kept, of, acts: await dialect.judge(of, kept) });
    }
    const streams: UndoneStream[] = [];
    for (const one of judged) streams.push(await report(dialect, one, request));
    if (preview) return { streams, isAgain: false };
    await restore(dialect, judged);
    for (const [at, { kept }] of judged.entries()) await dialect.done(kept, JSON.stringify(streams[at]));
    return { streams, isAgain: false };
  });
}

/** As the definition has the streams; those that it has no more come last. */
function inOrder(kept: readonly KeptRun[], streams: readonly string[]): KeptRun[] {
  const place = ({ stream }: KeptRun): number => (streams.includes(stream) ? streams.indexOf(stream) : streams.length);
  return [...kept].sort((a, b) => place(a) - place(b));
}

async function report(dialect: UndoDialect, { kept, of, acts }: Judged, { preview, mostListed }: UndoRequest): Promise<UndoneStream> {
  const found = await dialect.rows(`select n.act, count(*) as many from ${acts} n group by n.act`);
  const counts = countsOf(new Map(found.map(([act, many]) => [String(act), Number(many)])));
  const list = (act: UndoAct, most: number): Eventual<readonly ListedRow[]> => dialect.rows(listRows(of, acts, act, most));
  const rows_left = counts.left === 0 ? [] : (await list('left', mostListed)).map((row) => leftRow(of, row));
  if (!preview) return { target: kept.stream, ...counts, rows_left };
  const samples: RestoredRow[] = [];
  for (const act of ['bring', 'change', 'remove'] as const)
    samples.push(...(await list(act, SAMPLES)).map((row) => restoredRow(of, act, row)));
  return { target: kept.stream, ...counts, rows_left, samples };
}

/**
 * First what the run has added goes, as the old rows may need its place in a unique index. Where others refer to what would go, the old rows
 * come first.
 */
async function restore(dialect: UndoDialect, judged: readonly Judged[]): Promise<void> {
  const backwards = judged.toReversed();
  let stream = '';
  const each = async (order: readonly Judged[], step: 'remove' | 'change' | 'bring'): Promise<void> => {
    for (const { kept, of, acts } of order) {
      stream = kept.stream;
      await dialect[step](of, acts);
    }
  };
  const ways = [
    async () => {
      await each(backwards, 'remove');
      await each(judged, 'change');
      await each(judged, 'bring');
    },
    async () => {
      await each(judged, 'bring');
      await each(judged, 'change');
      await each(backwards, 'remove');
    },
  ];
  let refusal: OutsideError | undefined;
  for (const way of ways)
    try {
      return await dialect.attempt(way);
    } catch (error) {
      if (!(error instanceof OutsideError) || error.kind !== 'data') throw error;
      refusal ??= undoRefused(stream, error);
    }
  throw refusal;
}

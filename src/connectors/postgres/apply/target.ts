import type { Position } from '../../batch.ts';
import type { Changes, Field } from '../../contract.ts';
import type { OutsideError } from '../../../outside/errors.ts';
import type { ChangeTarget, MadeChanges, RefusedChange, TargetLines } from '../../sql-target/apply/applying.ts';
import { type ChangeReject, type Placed, recordOf } from '../../sql-target/apply/placed.ts';
import { type Cut, cutIntoRounds, type Group, groupsOf, kindOf } from '../../sql-target/apply/rounds.ts';
import { everyTick } from '../../../lib/ticks.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { quoteName } from '../catalogue/names.ts';
import type { CopyInput, CopyInResult } from '../wire/copy.ts';
import type { Link } from '../wire/link.ts';
import { toOutsideError } from '../wire/sql-errors.ts';
import { type CheckpointPlace, keep } from '../write/checkpoint.ts';
import { rejectsOf } from '../write/refusals.ts';
import { loopFor, type Numbered, type ToldOneByOne } from './one-by-one.ts';
import { createStage, StageLines } from './stage.ts';
import { quickStatementFor, statementFor } from './statements.ts';
import type { AppliedStream } from './stream.ts';

/** Changes a stream within the transaction, and tells how it is now. */
type Extend = (stream: AppliedStream, fields: readonly Field[]) => Promise<AppliedStream>;

/** How often a transaction that waits for more is told to be alive. Its session would be ended after two minutes (`open.ts`). */
const ALIVE_EVERY = 30_000;
const STILL_THERE = 'select 1 as still_there';

/** Applies changes to tables of PostgreSQL, over one connection. */
export class PostgresChanges implements ChangeTarget {
  readonly #link: Link;
  readonly #place: CheckpointPlace;
  readonly #how: { readonly extend: Extend; readonly leave: () => void };
  /** As they are in the transaction, and as they are when it is taken back. */
  #streams: readonly AppliedStream[];
  #committed: readonly AppliedStream[];
  #isOpen = false;
  /** Stages that are there, and those that hold rows of the transaction under way. */
  readonly #stages = new Set<string>();
  readonly #filled = new Set<string>();
  #isBusy = false;
  readonly #stopTicking: () => void;
  /** What can be taken back of the transaction under way: the changes made last, or all of it. */
  #hasSavepoint = false;
  /** Streams of which something was not as it mostly is: rows that are updated and not there, triggers that leave rows out. */
  readonly #odd = new Set<string>();

  constructor(link: Link, place: CheckpointPlace, streams: readonly AppliedStream[], how: { extend: Extend; leave: () => void }) {
    this.#link = link;
    this.#place = place;
    this.#streams = streams;
    this.#committed = streams;
    this.#how = how;
    this.#stopTicking = everyTick(ALIVE_EVERY, () => this.#tick());
  }

  get streams(): readonly AppliedStream[] {
    return this.#streams;
  }

  begin(): void {
    // It goes with the first statements.
    this.#isOpen = false;
  }

  async commit(position: Position, note: string | undefined): Promise<void> {
    const kept = keep(this.#place, { position, note: note ?? null, state: { live: true } });
    await this.#link.run(this.#isOpen ? `${kept}; commit` : kept);
    this.#ended();
    this.#committed = this.#streams;
  }

  async rollback(): Promise<void> {
    if (this.#isOpen) await this.#link.run('rollback').catch(() => {});
    this.#ended();
    this.#streams = this.#committed;
    // Some may have been made in this transaction.
    this.#stages.clear();
  }

  #ended(): void {
    this.#isOpen = false;
    this.#hasSavepoint = false;
    this.#filled.clear();
  }

  make(changes: readonly Placed[]): Promise<MadeChanges> {
    const shapes = this.#streams.map(({ fields }) => fields);
    return this.#run(
      changes,
      cutIntoRounds(changes, shapes, (one) => this.#mustWait(one)),
      false,
    );
  }

  makeFew = (changes: readonly Placed[]): Promise<MadeChanges> => this.#run(changes, { rounds: [], rest: changes }, true);

  async makeLines({ stream: at, kind, lines, count }: TargetLines): Promise<Changes | undefined> {
    const stream = this.#streams[at] as AppliedStream;
    const statement = quickStatementFor(stream, { kind, maybe: false, absent: '' }, undefined);
    if (!statement || this.#odd.has(stream.stage)) return undefined;
    const columns = stream.columns.map(({ name }) => quoteName(name)).join(', ');
    const copy = { stream, text: `copy pg_temp.${stream.stage} (${columns}) from stdin`, lines };
    const { concerned } = await this.#send([copy], [statement.text]);
    if (concerned[0] !== count) {
      this.#odd.add(stream.stage);
      await this.#takeBack();
      return undefined;
    }
    this.#keepStages([stream]);
    return { ...NOTHING, [statement.counts]: count };
  }

  async rejectsOf(refused: readonly RefusedChange[]): Promise<ChangeReject[]> {
    const rejects: ChangeReject[] = [];
    for (const [at, of] of Map.groupBy(refused, ({ one }) => one.change.stream)) {
      const stream = this.#streams[at] as AppliedStream;
      const rows = of.map(({ one, error }) => ({ index: one.place, row: recordOf(stream, one.change), error }));
      const words = await rejectsOf({ link: this.#link, relation: stream.relation }, rows);
      rejects.push(...words.map((reject) => ({ ...reject, index: reject.index as number, stream: at })));
    }
    return rejects;
  }

  async extend(stream: number, fields: readonly Field[]): Promise<void> {
    if (!this.#isOpen) await this.#link.run('begin');
    this.#isOpen = true;
    this.#streams = this.#streams.with(stream, await this.#how.extend(this.#streams[stream] as AppliedStream, fields));
  }

  close(): void {
    this.#stopTicking();
    this.#how.leave();
  }

  /** The source may take minutes to come to the next changes of a transaction. The server is to know that someone is still there. */
  #tick(): void {
    if (this.#isOpen && !this.#isBusy) this.#link.run(STILL_THERE).catch(() => {});
  }

  /** What no statement for many rows can make. */
  #mustWait(one: Placed): boolean {
    const { change } = one;
    return kindOf(one) === 'move' && (change.mayBeThere === true || (this.#streams[change.stream] as AppliedStream).hasFixedKey);
  }

  /** The statements of each round, and the loop for the rest. */
  async #run(changes: readonly Placed[], cut: Cut, isForgiving: boolean): Promise<MadeChanges> {
    const { rounds, rest } = cut;
    const staged = new Staged(this.#streams);
    const statements: string[] = [];
    const quick: QuickGroup[] = [];
    for (const group of rounds.flat()) {
      const { stream, number } = staged.add(group);
      const statement =
        this.#odd.has(stream.stage) && group.kind !== 'delete' && group.kind !== 'truncate'
          ? undefined
          : quickStatementFor(stream, group, number);
      if (statement) quick.push({ group, stage: stream.stage, ...statement });
      statements.push(statement?.text ?? statementFor(stream, group, number));
    }
    if (rest.length > 0) {
      const groups = groupsOf(
        rest,
        this.#streams.map(({ fields }) => fields),
      ).map((group) => staged.add(group));
      statements.push(loopFor({ order: rest.map(({ change }) => change.stream), groups, isForgiving }));
    }
    const answers = await this.#send(staged.copies, statements);
    const odd = quick.filter(({ group, isForAll }, at) => isForAll && answers.concerned[at] !== group.changes.length);
    if (odd.length > 0) {
      for (const { stage } of odd) this.#odd.add(stage);
      await this.#takeBack();
      return this.#run(changes, cut, isForgiving);
    }
    const made = toMade(this.#streams.length, changes, staged.groups, answers.rows);
    for (const [at, { group, counts }] of quick.entries()) {
      const concerned = answers.concerned[at] ?? 0;
      const unchanged = group.kind === 'delete' ? group.changes.length - concerned : 0;
      add(made.counts[group.stream] as Changes, { ...NOTHING, [counts]: concerned, unchanged });
    }
    if (made.missing.length > 0) await this.#takeBack();
    else this.#keepStages(staged.streams);
    return made;
  }

  /** All in one round trip: what has to be there, rows for the stages, and statements. When something fails, nothing of it was made. */
  #send(copies: readonly StageCopy[], statements: readonly string[]): Promise<CopyInResult> {
    const text = [
      ...(this.#isOpen ? (this.#hasSavepoint ? ['release savepoint changes'] : []) : ['begin']),
      // Outside the savepoint: within another one than before, the server would make a new file to empty a stage, and keep the old one until the commit.
      ...copies.flatMap(({ stream }) => this.#readied(stream)),
      // The first changes of a transaction are taken back with all of it. One savepoint within another would be looked through for every row.
      ...(this.#isOpen ? ['savepoint changes'] : []),
      // What a transaction of the source may leave to its end it may leave to the end of its changes here.
      'set constraints all deferred',
      ...copies.map((copy) => copy.text),
      ...statements,
      'set constraints all immediate',
    ].join('; ');
    this.#hasSavepoint = this.#isOpen;
    this.#isOpen = true;
    const lines = copies.map((copy) => copy.lines);
    this.#isBusy = true;
    const answers = this.#link.copyIn(text, lines).catch(async (error: unknown) => {
      await this.#takeBack().catch(() => {});
      throw error;
    });
    return answers.finally(() => {
      this.#isBusy = false;
    });
  }

  #keepStages(streams: readonly AppliedStream[]): void {
    for (const { stage } of streams) {
      this.#stages.add(stage);
      this.#filled.add(stage);
    }
  }

  async #takeBack(): Promise<void> {
    if (!this.#hasSavepoint) {
      this.#ended();
      return this.#link.run('rollback');
    }
    this.#hasSavepoint = false;
    await this.#link.run('rollback to savepoint changes; release savepoint changes');
  }

  /** Statements that make the stage of a stream, or empty it. */
  #readied(stream: AppliedStream): string[] {
    if (this.#filled.has(stream.stage)) return [`truncate pg_temp.${stream.stage}`];
    return this.#stages.has(stream.stage) ? [] : [createStage(stream)];
  }
}

/** What goes into the stage of a stream. */
interface StageCopy {
  readonly stream: AppliedStream;
  readonly text: string;
  readonly lines: CopyInput;
}

interface QuickGroup extends NonNullable<ReturnType<typeof quickStatementFor>> {
  readonly group: Group;
  readonly stage: string;
}

/** Changes as they go into the stages, group by group. */
class Staged {
  readonly #streams: readonly AppliedStream[];
  readonly #lines = new Map<AppliedStream, StageLines>();
  readonly groups = new Map<number, Group>();

  constructor(streams: readonly AppliedStream[]) {
    this.#streams = streams;
  }

  add(group: Group): Numbered {
    const stream = this.#streams[group.stream] as AppliedStream;
    const number = this.groups.size + 1;
    this.groups.set(number, group);
    const lines = this.#lines.getOrInsertComputed(stream, () => new StageLines(stream));
    lines.add(group.changes, number);
    return { stream, group, number };
  }

  get streams(): AppliedStream[] {
    return [...this.#lines.keys()];
  }

  get copies(): StageCopy[] {
    return [...this.#lines].map(([stream, lines]) => ({ stream, text: `copy pg_temp.${stream.stage} from stdin`, lines }));
  }
}

/** What the statements have answered, as counts by stream. */
function toMade(
  streams: number,
  changes: readonly Placed[],
  groups: ReadonlyMap<number, Group>,
  rows: readonly (readonly (string | null)[])[],
): MadeChanges {
  const counts = Array.from({ length: streams }, (): Changes => ({ ...NOTHING }));
  const missing = new Set<number>();
  const refused: RefusedChange[] = [];
  for (const [first, ...rest] of rows) {
    if (rest.length === 0) {
      const told = JSON.parse(first as string) as ToldOneByOne;
      const byPlace = new Map(changes.map((one) => [one.place, one]));
      for (const [stream, [inserted, updated, deleted, unchanged]] of Object.entries(told.counts))
        add(counts[Number(stream)] as Changes, { inserted, updated, deleted, unchanged });
      for (const place of told.missing) missing.add(place);
      for (const one of told.refused) refused.push({ one: byPlace.get(one.n) as Placed, error: toRefusal(one) });
      continue;
    }
    const group = groups.get(Number(first)) as Group;
    const [inserted = 0, updated = 0, deleted = 0] = rest.slice(0, 3).map(Number);
    const unchanged = group.kind === 'truncate' ? 0 : group.changes.length - inserted - updated - deleted;
    add(counts[group.stream] as Changes, { inserted, updated, deleted, unchanged });
    for (const place of rest[3]?.split(' ') ?? []) missing.add(Number(place));
  }
  return { counts, missing: missing.size === 0 ? [] : changes.filter(({ place }) => missing.has(place)), refused };
}

function add(sum: Changes, more: Changes): void {
  for (const name of Object.keys(sum) as (keyof Changes)[]) sum[name] += more[name];
}

/** What the server has said within the loop, as if it had said it to us. */
function toRefusal({ code, message, detail, column, constraint }: ToldOneByOne['refused'][number]): OutsideError {
  const parts = Object.entries({ detail, column, constraint }).filter(([, value]) => value !== '');
  return toOutsideError(Object.assign(new Error(message), { code, severity: 'ERROR', ...Object.fromEntries(parts) }), {
    host: '',
    port: 0,
  });
}

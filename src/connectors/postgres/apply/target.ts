import type { Position } from '../../batch.ts';
import type { Changes, Field } from '../../contract.ts';
import type { OutsideError } from '../../../outside/errors.ts';
import type { ChangeTarget, MadeChanges, RefusedChange } from '../../sql-target/apply/applying.ts';
import { type ChangeReject, type Placed, recordOf } from '../../sql-target/apply/placed.ts';
import { type Cut, cutIntoRounds, type Group, groupsOf, kindOf } from '../../sql-target/apply/rounds.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import type { Link } from '../wire/link.ts';
import { toOutsideError } from '../wire/sql-errors.ts';
import { type CheckpointPlace, keep } from '../write/checkpoint.ts';
import { rejectsOf } from '../write/refusals.ts';
import { loopFor, type Numbered, type ToldOneByOne } from './one-by-one.ts';
import { createStage, StageLines } from './stage.ts';
import { statementFor } from './statements.ts';
import type { AppliedStream } from './stream.ts';

/** Changes a stream within the transaction, and tells how it is now. */
type Extend = (stream: AppliedStream, fields: readonly Field[]) => Promise<AppliedStream>;

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

  constructor(link: Link, place: CheckpointPlace, streams: readonly AppliedStream[], how: { extend: Extend; leave: () => void }) {
    this.#link = link;
    this.#place = place;
    this.#streams = streams;
    this.#committed = streams;
    this.#how = how;
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
    this.#isOpen = false;
    this.#committed = this.#streams;
    this.#filled.clear();
  }

  async rollback(): Promise<void> {
    if (this.#isOpen) await this.#link.run('rollback').catch(() => {});
    this.#isOpen = false;
    this.#streams = this.#committed;
    // Some may have been made in this transaction.
    this.#stages.clear();
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
    this.#how.leave();
  }

  /** What no statement for many rows can make. */
  #mustWait(one: Placed): boolean {
    const { change } = one;
    return kindOf(change, one) === 'move' && (change.mayBeThere === true || (this.#streams[change.stream] as AppliedStream).hasFixedKey);
  }

  /** All in one round trip: stages, rows, the statements of each round, and the loop for the rest. */
  async #run(changes: readonly Placed[], { rounds, rest }: Cut, isForgiving: boolean): Promise<MadeChanges> {
    const staged = new Staged(this.#streams);
    const statements: string[] = [];
    for (const group of rounds.flat()) {
      const { stream, number } = staged.add(group);
      // Where rows that are gone are kept, there is nothing to do.
      statements.push(statementFor(stream, group, number) ?? `select ${number}, 0, 0, 0, null`);
    }
    if (rest.length > 0) {
      const groups = groupsOf(
        rest,
        this.#streams.map(({ fields }) => fields),
      ).map((group) => staged.add(group));
      statements.push(loopFor({ order: rest.map(({ change }) => change.stream), groups, isForgiving }));
    }
    const { streams, buffers } = staged.take();
    const first = [...(this.#isOpen ? [] : ['begin']), ...streams.flatMap((stream) => this.#readied(stream))];
    const copies = streams.map(({ stage }) => `copy pg_temp.${stage} from stdin`);
    const text = [
      ...first,
      // What a transaction of the source may leave to its end it may leave to the end of its changes here.
      'savepoint changes; set constraints all deferred',
      ...copies,
      ...statements,
      'set constraints all immediate',
    ].join('; ');
    this.#isOpen = true;
    const answers = await this.#link.copyIn(text, buffers).catch(async (error: unknown) => {
      await this.#takeBack().catch(() => {});
      throw error;
    });
    for (const { stage } of streams) this.#stages.add(stage);
    const made = toMade(this.#streams.length, changes, staged.groups, answers.rows);
    if (made.missing.length > 0) await this.#takeBack();
    else {
      for (const { stage } of streams) this.#filled.add(stage);
    }
    return made;
  }

  async #takeBack(): Promise<void> {
    await this.#link.run('rollback to savepoint changes; release savepoint changes');
  }

  /** Statements that make the stage of a stream, or empty it. */
  #readied(stream: AppliedStream): string[] {
    if (this.#filled.has(stream.stage)) return [`truncate pg_temp.${stream.stage}`];
    return this.#stages.has(stream.stage) ? [] : [createStage(stream)];
  }
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
    for (const one of group.changes) lines.add(one, number);
    return { stream, group, number };
  }

  take(): { streams: AppliedStream[]; buffers: Buffer[] } {
    return { streams: [...this.#lines.keys()], buffers: [...this.#lines.values()].map((lines) => lines.toBuffer()) };
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

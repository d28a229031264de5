import type { Position } from '../../batch.ts';
import type { Changes, Field } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { ChangeTarget, MadeChanges, RefusedChange } from '../../sql-target/apply/applying.ts';
import { type ChangeReject, type Placed, recordOf } from '../../sql-target/apply/placed.ts';
import { type Cut, cutIntoRounds, type Group, groupsOf, kindOf } from '../../sql-target/apply/rounds.ts';
import type { Checkpoint } from '../../sql-target/checkpoint.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { quote } from '../catalogue/literals.ts';
import type { Wire } from '../wire/connection.ts';
import { isDataError } from '../wire/server-errors.ts';
import type { Channel } from '../write/fill.ts';
import { constraintsOf, needsConstraints, refusalOf } from '../write/refusals.ts';
import { fillStage, type MysqlStream, stageStatement } from './stage.ts';
import { type GroupMade, makeGroup } from './statements.ts';

interface How {
  readonly wire: Wire;
  readonly checkpoint: Checkpoint;
  readonly channel: Channel;
  /** Whether the table has all these fields already. */
  readonly hasAll: (stream: MysqlStream, fields: readonly Field[]) => Promise<boolean>;
  /** Changes a table, which ends the transaction under way, and tells how it is now. */
  readonly extend: (stream: MysqlStream, fields: readonly Field[]) => Promise<MysqlStream>;
}

/** Applies changes to tables of MySQL or MariaDB, over one connection. */
export class MysqlChanges implements ChangeTarget {
  readonly #how: How;
  #streams: readonly MysqlStream[];
  #committed: readonly MysqlStream[];
  #isOpen = false;
  readonly #stages = new Set<string>();

  constructor(how: How, streams: readonly MysqlStream[]) {
    this.#how = how;
    this.#streams = streams;
    this.#committed = streams;
  }

  get streams(): readonly MysqlStream[] {
    return this.#streams;
  }

  /** It goes with the first changes: until then a table can still be changed. */
  begin(): void {}

  async commit(position: Position, note: string | undefined): Promise<void> {
    await this.#open();
    await this.#how.checkpoint.keep({ position, note });
    await this.#how.wire.run('commit');
    this.#isOpen = false;
    this.#committed = this.#streams;
  }

  async rollback(): Promise<void> {
    const { wire } = this.#how;
    if (this.#isOpen && wire.isOpen) await wire.run('rollback').catch(() => wire.destroy());
    this.#isOpen = false;
    this.#streams = this.#committed;
  }

  make(changes: readonly Placed[]): Promise<MadeChanges> {
    const shapes = this.#streams.map(({ fields }) => fields);
    return this.#run(
      changes,
      cutIntoRounds(changes, shapes, (one) => kindOf(one) === 'move'),
      false,
    );
  }

  makeFew = (changes: readonly Placed[]): Promise<MadeChanges> => this.#run(changes, { rounds: [], rest: changes }, true);

  async rejectsOf(refused: readonly RefusedChange[]): Promise<ChangeReject[]> {
    const rejects: ChangeReject[] = [];
    for (const [at, of] of Map.groupBy(refused, ({ one }) => one.change.stream)) {
      const stream = this.#streams[at] as MysqlStream;
      const isNamed = of.some(({ error }) => needsConstraints(error));
      const constraints = isNamed ? await constraintsOf(this.#how.wire, stream.table.name) : new Map<string, string[]>();
      const names = stream.fields.map(({ name }) => name);
      for (const { one, error } of of) {
        const row = recordOf(stream, one.change);
        const field = error.field === undefined ? {} : { field: error.field };
        rejects.push({ index: one.place, stream: at, row, ...field, ...refusalOf({ names, row, error }, constraints) });
      }
    }
    return rejects;
  }

  async extend(stream: number, fields: readonly Field[]): Promise<void> {
    const { hasAll, extend } = this.#how;
    const old = this.#streams[stream] as MysqlStream;
    const isUnderWay = this.#isOpen;
    const isReady = await hasAll(old, fields);
    // To change a table would commit what is there of the transaction, and show it.
    if (isUnderWay && !isReady) await this.rollback();
    const extended = await extend(old, fields);
    if (isUnderWay && !isReady)
      throw new OutsideError('transient', 'TABLE_CHANGED', `"${old.request.stream}" was changed in the middle of a transaction.`, {
        hint: 'The transaction was taken back. It is applied again by itself.',
      });
    this.#streams = this.#streams.with(stream, extended);
  }

  close(): void {
    this.#how.wire.end();
  }

  async #open(): Promise<void> {
    if (this.#isOpen) return;
    await this.#how.wire.run('start transaction');
    this.#isOpen = true;
    // Nobody takes over until its end.
    await this.#how.checkpoint.demand();
  }

  async #run(changes: readonly Placed[], { rounds, rest }: Cut, isForgiving: boolean): Promise<MadeChanges> {
    const { wire } = this.#how;
    const groups = rounds.flat();
    const others = groupsOf(
      rest,
      this.#streams.map(({ fields }) => fields),
    );
    const numbers = new Map<Placed, number>();
    for (const [at, group] of [...groups, ...others].entries()) for (const one of group.changes) numbers.set(one, at);
    await this.#prepareStages(changes);
    await this.#open();
    await wire.run('savepoint changes');
    const refused: RefusedChange[] = [];
    const counts = this.#streams.map((): Changes => ({ ...NOTHING }));
    const missing: number[] = [];
    const count = (stream: number, made: GroupMade): void => {
      const sum = counts[stream] as Changes;
      for (const name of Object.keys(sum) as (keyof Changes)[]) sum[name] += made.changes[name];
      missing.push(...made.missing);
    };
    try {
      const unfit = await this.#stage(changes, numbers);
      if (unfit[0] && !isForgiving) throw unfit[0].error;
      refused.push(...unfit);
      const isUnfit = new Set(unfit.map(({ one }) => one));
      for (const [at, group] of groups.entries())
        count(group.stream, await makeGroup(wire, this.#streams[group.stream] as MysqlStream, group, at));
      for (const one of rest) {
        if (isUnfit.has(one)) continue;
        const at = numbers.get(one) as number;
        const group = others[at - groups.length] as Group;
        try {
          count(group.stream, await makeGroup(wire, this.#streams[group.stream] as MysqlStream, group, at, one.place));
        } catch (error) {
          // A statement that is refused takes only itself back.
          if (!isForgiving || !isDataError(error)) throw error;
          refused.push({ one, error });
        }
      }
      if (missing.length === 0) await this.#emptyStages(changes);
      else await wire.run('rollback to savepoint changes');
    } catch (error) {
      if (wire.isOpen && error instanceof OutsideError && error.kind === 'data') await wire.run('rollback to savepoint changes');
      throw error;
    }
    const isMissing = new Set(missing);
    return { counts, missing: changes.filter(({ place }) => isMissing.has(place)), refused };
  }

  #used(changes: readonly Placed[]): MysqlStream[] {
    return [...new Set(changes.map(({ change }) => change.stream))].map((at) => this.#streams[at] as MysqlStream);
  }

  async #prepareStages(changes: readonly Placed[]): Promise<void> {
    for (const stream of this.#used(changes)) {
      if (this.#stages.has(stream.stage)) continue;
      await this.#how.wire.run(stageStatement(stream));
      this.#stages.add(stream.stage);
    }
  }

  async #emptyStages(changes: readonly Placed[]): Promise<void> {
    for (const { stage } of this.#used(changes)) await this.#how.wire.run(`delete from ${quote(stage)}`);
  }

  /** Puts the changes into the stages of their streams; answers those that do not fit. */
  async #stage(changes: readonly Placed[], numbers: ReadonlyMap<Placed, number>): Promise<RefusedChange[]> {
    const { wire, channel } = this.#how;
    const unfit: RefusedChange[] = [];
    for (const [at, of] of Map.groupBy(changes, ({ change }) => change.stream)) {
      const rows = of.map((one) => ({ one, group: numbers.get(one) as number }));
      for (const error of await fillStage(wire, this.#streams[at] as MysqlStream, rows, channel))
        unfit.push({ one: of[error.index] as Placed, error });
    }
    return unfit;
  }
}

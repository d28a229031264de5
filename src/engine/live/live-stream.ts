import type { Position } from '../../connectors/batch.ts';
import type { Row, Value } from '../../connectors/canonical.ts';
import type { Applier, AppliedTo, ChangeLog, LoggedRow, LogStream, LoggedChange, TargetChange } from '../../connectors/changes.ts';
import type { Field, Stream } from '../../connectors/contract.ts';
import type { SyncDefinition } from '../definition.ts';
import type { StreamPlan } from '../plan/plan.ts';
import { Quarantine } from '../quarantine.ts';
import { lookAgain, type OpenEnds, workOf } from '../ends.ts';
import type { RunOrder, RunPorts, StreamReport, StreamState } from '../run.ts';
import { newStreamNote, type StreamNote } from './note.ts';
import { INCOMPLETE, LEFT_OUT, RowMapper } from './row-mapper.ts';

/** A stream that can be followed: how it is read and written now. */
export interface Fit {
  readonly plan: StreamPlan;
  /** As the source had it when this was planned. */
  readonly found: Stream;
}

interface LookedFor {
  readonly ends: OpenEnds;
  readonly signal: AbortSignal;
}

/** One stream of a live run: where it stands, and how its changes become those of the target. */
export class LiveStream {
  readonly state: StreamState;
  readonly report: StreamReport;
  readonly #order: RunOrder;
  readonly #ports: RunPorts;
  note: StreamNote;
  fit: Fit | undefined;
  quarantine: Quarantine | undefined;
  /** The fields that the target takes, in their order. */
  written: readonly Field[] = [];
  /** Why it cannot go on from here; it is loaded anew, or stopped, before the log is followed further. */
  lost: unknown;
  #told: readonly Field[] = [];
  #mapper: RowMapper | undefined;
  #wholeMapper: RowMapper | undefined;

  constructor(order: RunOrder, state: StreamState, report: StreamReport, ports: RunPorts, found: StreamNote | undefined) {
    this.#order = order;
    this.#ports = ports;
    this.state = state;
    this.report = report;
    // What was counted before it is loaded anew stays counted.
    this.note =
      found?.generation === state.generation ? found : { ...newStreamNote(state.generation), ...(found && { counts: found.counts }) };
  }

  get name(): string {
    return this.report.name;
  }

  get isLive(): boolean {
    return this.note.state === 'live';
  }

  /** Looks at both ends anew, and takes in how it is read and written. Throws a StreamFailure when it cannot be. */
  async look(job: LookedFor): Promise<void> {
    await this.fitTo(await lookAgain(this.#order, job.ends, this.state), job);
  }

  async fitTo(ends: OpenEnds, { signal }: LookedFor): Promise<void> {
    const { plan } = workOf({ order: this.#order, state: this.state, report: this.report, ports: this.#ports, signal }, ends);
    const found = ends.sourceStreams.get(plan.read.stream);
    if (found) await this.refit({ plan, found });
  }

  /** Takes in how it is read and written from now on. */
  async refit(fit: Fit): Promise<void> {
    this.fit = fit;
    this.#wholeMapper = undefined;
    const { plan } = fit;
    this.written = plan.write.fields;
    this.quarantine = new Quarantine({
      ports: this.#ports,
      index: plan.index,
      stream: plan.definition.source,
      fields: plan.sourceFields,
      key: plan.read.key,
      outputs: plan.outputs,
      onReject: this.#order.definition.on_reject,
    });
    await this.quarantine.watch();
  }

  /** What comes is not for it any more. That is noted with the step that it happens in: whatever follows, it is loaded anew. */
  lose(why: unknown): void {
    const { generation, counts, loadedBy } = this.note;
    this.lost = why;
    this.note = { ...newStreamNote(generation), counts, loadedBy };
  }

  /** What the log is asked for. New fields are told where they are to be followed, or to stop for. */
  wanted(policy: SyncDefinition['schema_changes'], applier: Pick<Applier, 'applyLines'> | undefined): LogStream {
    const { plan, found } = this.fit as Fit;
    const asLines =
      applier?.applyLines !== undefined && new RowMapper({ plan, told: plan.sourceFields, written: this.written }).passesLines;
    const hearsOfNew = policy === 'stop' || (policy === 'apply' && plan.definition.fields === null);
    const ignored = found.fields.map(({ name }) => name).filter((name) => !plan.read.fields.includes(name));
    return {
      stream: plan.read.stream,
      fields: plan.read.fields,
      key: plan.read.key,
      ...(hearsOfNew && { ignored }),
      ...(asLines && { asLines }),
    };
  }

  /** What the target is asked to make its changes in. */
  get appliedTo(): AppliedTo {
    const { stream, fields, key, create, deletes } = (this.fit as Fit).plan.write;
    return { stream, fields, key, create, deletes };
  }

  /** From here on rows have these fields. The plan is made for them: the log may tell of a time before the one that was looked at. */
  tell(told: readonly Field[], plan: StreamPlan): void {
    this.#told = told;
    this.#mapper = new RowMapper({ plan, told, written: this.written });
  }

  /** Whether the target takes rows as the log has them. */
  get passesLines(): boolean {
    return this.#mapper?.passesLines === true;
  }

  get told(): readonly Field[] {
    return this.#told;
  }

  /** A change as the target takes it; undefined when it does not concern it. Throws a FieldFault. */
  toTarget(change: LoggedChange, stream: number, mayBeThere: boolean): TargetChange | undefined | typeof INCOMPLETE {
    // The only one of which the log may tell before it has told of the fields.
    if (change.op === 'truncate') return { op: 'truncate', stream };
    const mapper = this.#mapper as RowMapper;
    const may = mayBeThere || mapper.filters ? ({ mayBeThere: true } as const) : undefined;
    if (change.op === 'delete') return { op: 'delete', stream, key: mapper.key(change.key), ...may };
    const row = mapper.row(change.row);
    if (row === INCOMPLETE) return INCOMPLETE;
    if (change.op === 'insert') {
      if (row === LEFT_OUT) return undefined;
      // The load may have seen the row with a column that came later: of that, the log tells nothing, and what is there stays.
      if (mayBeThere && row.includes(undefined)) return { op: 'update', stream, row, mayBeThere: true };
      return { op: 'insert', stream, row: whole(row), ...may };
    }
    // The row under the key before may be a later one that has got this key since: what the log leaves out is not to be taken from there.
    if (mayBeThere && change.key && row !== LEFT_OUT && change.row.includes(undefined)) return INCOMPLETE;
    // What no longer passes the filter is gone, as far as the target is concerned.
    if (row === LEFT_OUT) return { op: 'delete', stream, key: mapper.key(change.key ?? this.keyOf(change.row)), mayBeThere: true };
    // Most changes are these.
    if (!change.key && !may) return { op: 'update', stream, row };
    return { op: 'update', stream, row, ...(change.key && { key: mapper.key(change.key) }), ...may };
  }

  /** What to do when a row is gone under the key that it got: under the one before it is gone, too. */
  leftBehind(change: LoggedChange, stream: number): ReturnType<LiveStream['toTarget']> {
    if (change.op !== 'update' || !change.key) return undefined;
    return this.toTarget({ op: 'delete', stream: change.stream, key: change.key }, stream, true);
  }

  /** The fields of the source as they are planned for now. The log may still tell rows of a time before, which lack some that the target has from a load. */
  get present(): readonly string[] {
    return (this.fit as Fit).plan.read.fields;
  }

  /** A row that the source has now, with the fields that are `present`, as the target takes it; undefined when it does not concern it. Throws a FieldFault. */
  wholeRow(now: Row): Row | undefined {
    const { plan } = this.fit as Fit;
    this.#wholeMapper ??= new RowMapper({ plan, told: plan.sourceFields, written: this.written });
    const row = this.#wholeMapper.row(now);
    return row === LEFT_OUT || row === INCOMPLETE ? undefined : whole(row);
  }

  /** Such a row with the fields that were told. */
  asTold(now: Row): Row {
    return this.#told.map(({ name }) => now[this.present.indexOf(name)] ?? null);
  }

  /** The key of a row that is told, as the source spells it. */
  keyOf(row: LoggedRow): Value[] {
    return this.#keyPlaces.map((place) => row[place] ?? null);
  }

  /** A row that was told, in the order of the fields that are read: as rejects show it. */
  readRow(row: LoggedRow): Value[] {
    return (this.fit as Fit).plan.read.fields.map((name) => row[this.#told.findIndex((field) => field.name === name)] ?? null);
  }

  get #keyPlaces(): number[] {
    return (this.fit as Fit).plan.read.key.map((name) => this.#told.findIndex((field) => field.name === name));
  }

  /** Changes up to here may be in what was read of it. */
  mayBeThereUpTo(end: Position, log: Pick<ChangeLog, 'isBefore'>): void {
    const { joinAt } = this.note;
    if (joinAt === undefined || log.isBefore(joinAt, end)) this.note = { ...this.note, joinAt: end };
  }

  /** Where its changes are needed from: those before are in the target, or were seen by the load. */
  from(front: Position): Position {
    return this.note.at ?? front;
  }
}

/** Of a row that comes, nothing can be kept: what the log does not tell of is empty. */
function whole(row: LoggedRow): Row {
  return row.includes(undefined) ? row.map((value) => value ?? null) : (row as Row);
}

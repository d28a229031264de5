import assert from 'node:assert/strict';
import { comparable, type Row, type Value } from '../canonical.ts';
import type { Position } from '../batch.ts';
import type { Change, ChangeLog, ChangeSet, LogRequest, LogStream } from '../changes.ts';
import type { Field } from '../contract.ts';
import type { Session } from '../session.ts';
import type { NewStream, SourceChange, System } from './harness.ts';
import { keyOf, type Kit } from './kit.ts';

/** A log that tells nothing for so long is stuck. */
const PATIENCE = 60_000;

/** A change that the log has to tell, and the transaction that it was made in. */
interface ExpectedChange {
  readonly transaction: number;
  readonly change: SourceChange;
}

/** A place in the log, and how many transactions were made before it. */
export interface Milestone {
  readonly position: Position;
  readonly before: number;
}

/** What was told from behind a position, and where it was to be cut. */
export interface Followed {
  readonly sets: readonly ChangeSet[];
  readonly after: Position;
  readonly milestones: readonly Milestone[];
}

/** Streams whose log is held, and everything that was done to them since. */
export class LogBench {
  readonly kit: Kit;
  readonly session: Session;
  readonly log: ChangeLog;
  /** Those that are followed. */
  readonly streams: readonly NewStream[];
  readonly request: LogRequest;
  /** Where the hold began. */
  start: Position = '';
  readonly #transact: NonNullable<System['transact']>;
  readonly #expected: ExpectedChange[] = [];
  #transactions = 0;

  private constructor(kit: Kit, session: Session, transact: NonNullable<System['transact']>, streams: readonly NewStream[]) {
    this.kit = kit;
    this.session = session;
    this.log = session.log as ChangeLog;
    this.streams = streams;
    this.request = { owner: kit.owner('log'), streams: streams.map(logged) };
    this.#transact = transact;
  }

  /** So many streams with ten rows each, from before the hold. Undefined when nothing can be done to them. */
  static async open(kit: Kit, count = 1): Promise<LogBench | undefined> {
    const transact = kit.hook('transact');
    if (!transact) return undefined;
    const session = await kit.session();
    assert.ok(session.log, 'a session of a connector that claims a log has one');
    const streams: NewStream[] = [];
    for (let at = 0; at < count; at++) streams.push(await kit.stream(10));
    const bench = new LogBench(kit, session, transact, streams);
    kit.atEnd(() => bench.log.release(bench.request.owner));
    bench.start = await bench.log.hold(bench.request);
    return bench;
  }

  get stream(): NewStream {
    return this.streams[0] as NewStream;
  }

  /** How many transactions there were that the log has to tell. */
  get transactions(): number {
    return this.#transactions;
  }

  /** How many transactions so many changes are. */
  transactionsIn(changes: number): number {
    return (this.#expected[changes - 1]?.transaction ?? -1) + 1;
  }

  /** Makes changes in one transaction of the source. */
  async transact(...changes: SourceChange[]): Promise<void> {
    await this.#transact(changes);
    const told = changes.filter(({ stream }) => this.streams.includes(stream));
    if (told.length === 0) return;
    this.#expected.push(...told.map((change) => ({ transaction: this.#transactions, change })));
    this.#transactions++;
  }

  insert(n: number, stream = this.stream): SourceChange {
    return { op: 'insert', stream, row: this.kit.shape.row(n) };
  }

  update(n: number, version: number, stream = this.stream): SourceChange {
    return { op: 'update', stream, key: this.key(n, stream), row: this.kit.shape.row(n, version) };
  }

  remove(n: number, stream = this.stream): SourceChange {
    return { op: 'delete', stream, key: this.key(n, stream) };
  }

  key(n: number, stream = this.stream): Row {
    return keyOf(stream, this.kit.shape.row(n));
  }

  /** The end of the log, as a milestone. */
  async milestone(): Promise<Milestone> {
    return { position: await this.log.end(), before: this.#transactions };
  }

  /** What is told from behind a position up to where the log ends now. */
  async followed(after = this.start, milestones: readonly Milestone[] = [], log = this.log): Promise<Followed> {
    const end = await log.end();
    const signal = AbortSignal.timeout(PATIENCE);
    const sets: ChangeSet[] = [];
    const followed: Followed = { sets, after, milestones };
    if (!log.isBefore(after, end)) return followed;
    const positions = milestones.map(({ position }) => position);
    for await (const set of log.follow({ ...this.request, signal }, after, positions)) {
      sets.push(set);
      if (set.position !== undefined && !log.isBefore(set.position, end)) break;
    }
    return followed;
  }

  /** Looks whether everything behind so many transactions was told: each change once, in order, whole, and cut at the milestones. */
  assertTold({ sets, after, milestones }: Followed, since = 0): void {
    const expected = this.#expected.filter(({ transaction }) => transaction >= since);
    const isAhead = (milestone: Milestone): boolean => this.log.isBefore(position, milestone.position);
    let [at, position] = [0, after];
    let open = milestones.filter(isAhead);
    const fields = new Map<number, readonly Field[]>();
    for (const set of sets) {
      const first = at;
      for (const change of set.changes) {
        if (change.op === 'fields') fields.set(change.stream, this.#fields(change));
        else this.#assertSame(change, expected[at++], fields.get(change.stream));
      }
      const [begun, ended] = [expected[first]?.transaction, expected[at - 1]?.transaction];
      if (at > first && begun !== undefined && ended !== undefined) {
        const split = milestones.find(({ before }) => begun < before && ended >= before);
        assert.ok(!split, 'what lies before a milestone and what lies behind it are in one set');
        const passed = open.find(({ before }) => ended >= before);
        assert.ok(!passed, 'a change behind a milestone came before a position that is not before it');
      }
      if (set.position === undefined) continue;
      assert.ok(ended === undefined || at === first || expected[at]?.transaction !== ended, 'a position lies inside of a transaction');
      assert.ok(!this.log.isBefore(set.position, position), 'positions go back');
      ({ position } = set);
      open = open.filter(isAhead);
    }
    assert.equal(at, expected.length, 'not all changes were told');
    assert.equal(open.length, 0, 'a milestone was never reached');
  }

  #fields({ stream, fields, key }: Extract<Change, { op: 'fields' }>): readonly Field[] {
    const wanted = this.streams[stream];
    assert.ok(wanted, 'fields of a stream that nobody follows');
    const names = wanted.fields.map(({ name }) => name);
    assert.deepEqual([fields.map(({ name }) => name).slice(0, names.length), key], [names, wanted.key]);
    for (const [at, field] of wanted.fields.entries()) assert.equal(fields[at]?.type, this.kit.typeOf(field), `the type of ${field.name}`);
    return fields;
  }

  #assertSame(change: Exclude<Change, { op: 'fields' }>, expected: ExpectedChange | undefined, fields: readonly Field[] | undefined): void {
    assert.ok(expected, `more is told than was done: ${JSON.stringify(change).slice(0, 200)}`);
    const { change: made } = expected;
    assert.deepEqual([change.op, this.streams[change.stream]?.name], [made.op, made.stream.name]);
    if (change.op === 'truncate' || made.op === 'truncate') return;
    if (change.op === 'delete' && made.op === 'delete') return this.#assertKey(made.stream, change.key, made.key);
    assert.ok(change.op === 'insert' || change.op === 'update', change.op);
    assert.ok(made.op === 'insert' || made.op === 'update');
    assert.ok(fields, 'a row came before the fields of its stream were told');
    assert.equal(change.row.length, fields.length, 'a row has a value for each field');
    this.kit.assertSame(made.stream.fields, [change.row.slice(0, made.stream.fields.length) as Row], [made.row]);
    const isMoved = made.op === 'update' && !this.#isSameKey(made.stream, made.key, keyOf(made.stream, made.row));
    if (!isMoved) assert.ok(change.op === 'insert' || change.key === undefined, 'the key before is told only when it was another');
    else this.#assertKey(made.stream, (change.op === 'update' && change.key) || [], made.key);
  }

  #assertKey(stream: NewStream, found: readonly Value[], expected: Row): void {
    assert.ok(this.#isSameKey(stream, found, expected), `the key is ${JSON.stringify(found)}, and not ${JSON.stringify(expected)}`);
  }

  #isSameKey({ fields, key }: NewStream, one: readonly Value[], other: readonly Value[]): boolean {
    const types = key.map((name) => fields.find((field) => field.name === name)?.type ?? 'text');
    return types.every((type, at) => comparable(type, one[at] ?? null) === comparable(type, other[at] ?? null));
  }
}

/** A stream as a log is asked for it. */
export function logged({ name, fields, key }: NewStream): LogStream {
  return { stream: name, fields: fields.map((field) => field.name), key };
}

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { Batch, type Reject } from '../batch.ts';
import { comparable, type Row, type Value } from '../canonical.ts';
import type { Abilities, Context, Field, ReadRequest, WriteMode, Writer, WriteRequest } from '../contract.ts';
import type { Session } from '../session.ts';
import { type Naming, ruleFault } from '../naming.ts';
import { OutsideError, type ErrorKind } from '../../outside/errors.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import type { Harness, Hook, NewStream, StreamShape, System } from './harness.ts';
import { plainShape } from './streams.ts';

/** One thing that every connector has to hold. */
export interface Case {
  readonly name: string;
  /** It looks at what the connector says of itself, not at its system. */
  readonly isOfManifest?: true;
  run(kit: Kit): Promise<void>;
}

export interface ReadResult {
  rows: Row[];
  batches: Batch[];
  rejects: Reject[];
}

/** What a case works with: the system, and the words in which the cases are written. */
export class Kit {
  static #count = 0;
  readonly harness: Harness;
  readonly system: System;
  readonly abilities: Abilities;
  readonly naming: Naming;
  readonly shape: StreamShape;
  readonly batchBytes: number;
  /** Ends everything that the sessions of this case do. */
  readonly stop = new AbortController();
  readonly notes: string[] = [];
  /** Whether the case has done anything yet: one that finds nothing to try, as it is not claimed, has proved nothing either. */
  hasTried = false;
  readonly #sessions: Session[] = [];
  readonly #endings: (() => Promise<void>)[] = [];
  readonly #owner: string;
  #token = 0n;

  constructor(harness: Harness, system: System) {
    this.harness = harness;
    this.system = system;
    this.abilities = harness.connector.manifest.abilities;
    this.naming = harness.connector.manifest.naming;
    this.shape = harness.shape ?? plainShape;
    this.batchBytes = harness.limits?.batchBytes ?? 4096;
    this.#owner = `conformance ${randomUUID()}`;
  }

  async session(): Promise<Session> {
    this.hasTried = true;
    const context: Context = {
      reach: reachOf('any'),
      roots: rootsOf({ folders: [], dataDir: '/nowhere' }),
      ...this.system.context,
      signal: this.stop.signal,
    };
    const session = await this.harness.connector.open(this.system.config, context);
    this.#sessions.push(session);
    return session;
  }

  /** Does something when the case is over, while its sessions are still open. */
  atEnd(work: () => Promise<void>): void {
    this.#endings.push(work);
  }

  async close(): Promise<void> {
    try {
      for (const work of this.#endings) await work();
    } finally {
      for (const session of this.#sessions) await session.close();
    }
  }

  /** A hook of the system. When it is not there, the harness has to say why. */
  hook<Name extends Hook>(name: Name): NonNullable<System[Name]> | undefined {
    const hook = this.system[name];
    if (hook) return hook.bind(this.system) as NonNullable<System[Name]>;
    const reason = this.harness.cannot?.[name];
    assert.ok(reason, `The harness has no hook "${name}" and does not say in "cannot" why.`);
    this.notes.push(`not tried, no ${name}: ${reason}`);
    return undefined;
  }

  can(mode: WriteMode): boolean {
    return this.abilities.write.includes(mode);
  }

  /** Whether streams of any fields can be made, by the system or by the writer. Where they cannot, it is noted. */
  isFree(): boolean {
    const { stream } = this.shape;
    const isFree = stream === undefined && (this.system.create !== undefined || this.abilities.createsStreams);
    const why =
      stream === undefined ? 'neither the harness nor the connector makes any' : `the harness says that "${stream}" is the only stream`;
    if (!isFree) this.notes.push(`not tried with streams of other fields: ${why}`);
    return isFree;
  }

  /** Whether the manifest says that the system can have this name. */
  allowsName(name: string, of: 'streams' | 'fields'): boolean {
    return ruleFault(name, this.naming[of] ?? []) === undefined;
  }

  name(plain: string): string {
    if (this.shape.stream !== undefined) return this.shape.stream;
    return this.named(`c${++Kit.#count}_${plain}`);
  }

  /** The name by which the connector knows a stream of this plain name. */
  named(plain: string): string {
    return this.system.nameOf?.(plain) ?? plain;
  }

  /** A stream of the plain shape with so many rows, there in the system. */
  async stream(count: number, change: (row: Row, n: number) => Row = (row) => row): Promise<NewStream> {
    const { fields, key, cursor } = this.shape;
    const rows = Array.from({ length: count }, (_, at) => change(this.shape.row(at + 1), at + 1));
    return this.create({ name: this.name('plain'), fields, key, rows, ...(cursor !== undefined && { cursor }) });
  }

  async create(stream: NewStream): Promise<NewStream> {
    this.hasTried = true;
    if (this.system.create) await this.system.create(stream);
    else {
      assert.ok(this.abilities.write.length > 0, 'The connector only reads: the harness has to make streams by "create".');
      const mode: WriteMode = stream.key.length > 0 && this.can('upsert') ? 'upsert' : 'append';
      await this.writeAll(await this.session(), stream, batchesOf(stream.rows), { mode, owner: `maker of ${stream.name}` });
    }
    return stream;
  }

  async change(stream: NewStream, changes: { put?: readonly Row[]; remove?: readonly Row[] }): Promise<void> {
    if (this.system.change) return this.system.change(stream, changes);
    assert.ok(this.can('upsert'), 'The connector cannot write rows anew: the harness has to put and remove rows by "change".');
    const batches = [
      Batch.ofRows(changes.put ?? [], { position: 'put' }),
      ...(changes.remove ? [Batch.ofRows(changes.remove, { position: 'remove', operation: 'delete' })] : []),
    ];
    return this.writeAll(await this.session(), stream, batches, { mode: 'upsert', owner: `changer of ${stream.name}` });
  }

  async writeAll(session: Session, stream: NewStream, batches: readonly Batch[], options: Partial<WriteRequest> = {}): Promise<void> {
    const writer = await session.write(this.writing(stream, options));
    for (const batch of batches) {
      assert.deepEqual((await writer.write(batch)).rejects, []);
      batch.release();
    }
    await writer.finish();
    await writer.close();
  }

  /** A request to write, with a token that is higher than all before. */
  writing(stream: Pick<NewStream, 'name' | 'fields' | 'key'>, options: Partial<WriteRequest> = {}): WriteRequest {
    const mode = options.mode ?? (this.can('upsert') ? 'upsert' : (this.abilities.write[0] ?? 'append'));
    return {
      stream: stream.name,
      fields: stream.fields,
      key: stream.key,
      mode,
      token: ++this.#token,
      create: this.abilities.createsStreams,
      ...options,
      owner: this.owner(options.owner ?? 'the'),
      ...(options.fences && { fences: options.fences.map((name) => this.owner(name)) }),
    };
  }

  /** An owner that no other case has, nor an earlier run of the suite. */
  owner(name: string): string {
    return `${name} ${this.#owner}`;
  }

  async writer(stream: NewStream, options: Partial<WriteRequest> = {}): Promise<Writer> {
    return (await this.session()).write(this.writing(stream, options));
  }

  reading(stream: Pick<NewStream, 'name' | 'fields' | 'key'>, options: Partial<ReadRequest> = {}): ReadRequest {
    return {
      stream: stream.name,
      fields: stream.fields.map((field) => field.name),
      key: stream.key,
      batchBytes: this.batchBytes,
      ...options,
    };
  }

  async read(stream: Pick<NewStream, 'name' | 'fields' | 'key'>, options: Partial<ReadRequest> = {}): Promise<ReadResult> {
    return readAll(await this.session(), this.reading(stream, options));
  }

  /** What the system holds, by another way than the connector where there is one. */
  async contents(stream: Pick<NewStream, 'name' | 'fields' | 'key'>): Promise<readonly Row[]> {
    if (this.system.contents) return this.system.contents(stream);
    return (await this.read(stream, { batchBytes: 1024 * 1024 })).rows;
  }

  async assertContents(stream: Pick<NewStream, 'name' | 'fields' | 'key'>, expected: readonly Row[], message?: string): Promise<void> {
    this.assertSame(stream.fields, await this.contents(stream), expected, message);
  }

  /** The same rows in any order, values compared by what they mean. */
  assertSame(fields: readonly Field[], found: readonly Row[], expected: readonly Row[], message = 'the rows are not the same'): void {
    const left = found.map((row) => JSON.stringify(row.map((value, at) => this.#found(fields[at], value)))).sort();
    const right = expected.map((row) => JSON.stringify(row.map((value, at) => this.#expected(fields[at], value)))).sort();
    const tooMany = without(left, right);
    const missing = without(right, left);
    if (tooMany.length + missing.length === 0) return;
    assert.fail(
      `${message}: ${found.length} found, ${expected.length} expected\n  missing: ${shown(missing)}\n  too many or wrong: ${shown(tooMany)}`,
    );
  }

  typeOf(field: Field) {
    return this.harness.typeOf?.(field) ?? field.type;
  }

  #found(field: Field | undefined, value: Value): Value {
    if (!field) return value;
    const type = this.typeOf(field);
    return short(comparable(type === 'text' ? field.type : type, value));
  }

  #expected(field: Field | undefined, value: Value): Value {
    if (!field || value === null) return value;
    const type = this.typeOf(field);
    if (type === field.type || type === 'text') return short(comparable(field.type, value));
    if (type === 'timestamp') return comparable(type, value.replace('+00', ''));
    if (field.type === 'boolean') return comparable(type, value === 't' ? '1' : '0');
    return short(comparable(type, value));
  }
}

export async function readAll(session: Session, request: ReadRequest): Promise<ReadResult> {
  const result: ReadResult = { rows: [], batches: [], rejects: [] };
  for await (const batch of session.read(request)) {
    result.batches.push(batch);
    result.rows.push(...batch.rows);
    result.rejects.push(...batch.rejects);
    assert.ok(result.batches.length < 10_000, 'a read that does not end');
  }
  return result;
}

/** Batches for a writer, each with a position of its own. */
export function batchesOf(rows: readonly Row[], size = 1000, name = 'p'): Batch[] {
  const batches = [];
  for (let at = 0; at < rows.length; at += size) batches.push(Batch.ofRows(rows.slice(at, at + size), { position: `{"${name}":${at}}` }));
  return batches.length > 0 ? batches : [Batch.ofRows([], { position: `{"${name}":0}` })];
}

/** The values of a row's key. */
export function keyOf({ fields, key }: Pick<NewStream, 'fields' | 'key'>, row: Row): Row {
  return key.map((name) => row[fields.findIndex((field) => field.name === name)] ?? null);
}

/** The row with one value changed. */
export function withValue({ fields }: Pick<NewStream, 'fields'>, row: Row, name: string, value: Value): Row {
  return row.map((old, at) => (fields[at]?.name === name ? value : old));
}

/** Runs it and gives the OutsideError that it has to throw. */
export async function failure(work: () => Promise<unknown>, what: string): Promise<OutsideError> {
  const outcome = await work().then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome !== undefined, `${what} should have failed`);
  assert.ok(outcome instanceof OutsideError, `${what} should fail with a OutsideError, not ${inspect(outcome)}`);
  assert.ok(outcome.message.length > 0);
  return outcome;
}

export async function assertFails(work: () => Promise<unknown>, kind: ErrorKind, code: string | RegExp, what: string): Promise<void> {
  const error = await failure(work, what);
  const words = `${what}: ${error.code} ${error.message}`;
  assert.equal(error.kind, kind, words);
  assert.match(error.code, typeof code === 'string' ? new RegExp(`^${code}$`) : code, words);
}

function without(rows: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const row of others) counts.set(row, (counts.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = counts.get(row) ?? 0;
    counts.set(row, count - 1);
    return count <= 0;
  });
}

function shown(rows: readonly string[]): string {
  const few = rows.slice(0, 3).map((row) => (row.length > 400 ? `${row.slice(0, 400)}…` : row));
  return `${rows.length} ${few.join(' ')}`;
}

function short(value: Value): Value {
  if (value === null || value.length < 200) return value;
  return `${value.length} characters ${createHash('sha256').update(value).digest('hex')}`;
}

import type { Value } from '../../canonical.ts';
import type { LoggedValue } from '../../changes.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { gap } from './gaps.ts';
import { identityChanged } from './identity.ts';
import { Pieces } from './early.ts';
import { type WalRelation, type LogMessage, MessageReader } from './messages.ts';
import type { ChangeSets } from './sets.ts';
import { isSameRelation, plainMoney, type RowShape } from './shape.ts';

type ChangeMessage = Extract<LogMessage, { tag: 'insert' | 'update' | 'delete' }>;

/** A row that is still without its computed columns. */
export interface UnfinishedRow {
  readonly shape: RowShape;
  readonly row: LoggedValue[];
}

/** Parts of tables that were emptied, by stream. Whether they are all of it, the log does not say. */
interface PartsTruncated {
  readonly tag: 'parts truncated';
  readonly parts: ReadonlyMap<number, readonly number[]>;
}

/** The first piece of a large transaction has come. Whether it was committed is in the log behind it. */
interface PieceBegun {
  readonly tag: 'piece begun';
  readonly transaction: number;
}

/** What has to be looked up before the log is read on. */
export type WalQuestion = WalRelation | PartsTruncated | PieceBegun;

/** Turns messages of the log into changes of streams. What has to be looked up it asks for. */
export class WalTranslator {
  readonly #streams: readonly string[];
  readonly #keys: readonly (readonly string[])[];
  readonly #sets: ChangeSets;
  readonly #after: bigint;
  readonly #moneyDigits: number;
  readonly #reader: MessageReader;
  /** By the number of the table; null: it is none of ours. */
  readonly #shapes = new Map<number, RowShape | null>();
  /** What was told last of each stream, by its place. */
  readonly told = new Map<number, RowShape>();
  /** Behind the last transaction that had nothing for us. */
  passed = 0n;
  #unfinished: UnfinishedRow[] = [];
  readonly #milestones: bigint[];
  readonly #pieces = new Pieces();
  #isInTransaction = false;
  #isSkipping = false;

  constructor(
    streams: readonly { stream: string; key: readonly string[] }[],
    sets: ChangeSets,
    after: bigint,
    { moneyDigits, milestones }: { moneyDigits: number; milestones: readonly bigint[] },
  ) {
    this.#streams = streams.map(({ stream }) => stream);
    this.#keys = streams.map(({ key }) => key);
    this.#sets = sets;
    this.#after = after;
    this.#moneyDigits = moneyDigits;
    this.#milestones = milestones.toSorted((one, other) => (one < other ? -1 : 1));
    this.#reader = new MessageReader((relation) => (this.#isSkipping ? undefined : this.#shapes.get(relation)?.places));
  }

  /** Whether there is a milestone behind one place, and not behind another. */
  hasMilestone(after: bigint, upTo: bigint): boolean {
    return this.#milestones.some((milestone) => milestone > after && milestone <= upTo);
  }

  get isInTransaction(): boolean {
    return this.#isInTransaction || this.#pieces.isOpen;
  }

  /** Takes a message. It answers what has to be known before the next one is taken. */
  take(bytes: Buffer, start: number, end: number): WalQuestion | undefined {
    if (this.#line(bytes, start, end)) return undefined;
    const message = this.#reader.read(bytes, start, end);
    if (!message) return undefined;
    switch (message.tag) {
      case 'begin':
        this.#isInTransaction = true;
        // The server begins where it is told to; this is to be on the safe side.
        this.#isSkipping = message.lsn < this.#after;
        while (this.#milestones[0] !== undefined && this.#milestones[0] <= message.lsn) this.#sets.cut(this.#milestones.shift() as bigint);
        return undefined;
      case 'commit':
        this.#isInTransaction = false;
        // What is open then is another one, and this had nothing for us.
        if (!this.#pieces.isOpen && (this.#isSkipping || !this.#sets.commit(message.end, message.at))) this.passed = message.end;
        this.#isSkipping = false;
        return undefined;
      case 'piece':
        this.#pieces.begin(message.transaction);
        return message.isFirst ? { tag: 'piece begun', transaction: message.transaction } : undefined;
      case 'piece stop':
        this.#pieces.stop();
        return undefined;
      case 'piece commit':
        this.#pieces.commit(message.transaction);
        if (!this.#pieces.isOpen && !this.#sets.commit(message.end, message.at)) this.passed = message.end;
        return undefined;
      case 'piece abort':
        this.#pieces.abort(message.transaction);
        return undefined;
      case 'relation': {
        const known = this.#shapes.get(message.relation);
        // One that is none of ours may have become a part of one that is.
        if (known && isSameRelation(known.logged, message)) return undefined;
        return message;
      }
      case 'truncate':
        return this.#truncate(message.relations);
      default:
        this.#change(message, end - start);
        return undefined;
    }
  }

  /** Whether the transaction of a piece is known to be committed. */
  learnPiece(transaction: number, isCommitted: boolean): void {
    this.#pieces.learn(transaction, isCommitted);
  }

  /** What was learned of a table; null when it is none of ours. */
  learn(relation: number, shape: RowShape | null): void {
    this.#shapes.set(relation, shape);
    if (!shape) return;
    this.#pieces.add();
    const before = this.told.get(shape.stream);
    this.told.set(shape.stream, shape);
    // The parts of a table need not have their columns in the same order. Of the stream they are in one.
    if (before && JSON.stringify(before.fields) === JSON.stringify(shape.fields)) return;
    this.#sets.add(
      { op: 'fields', stream: shape.stream, fields: shape.fields, key: this.#keys[shape.stream] ?? [] },
      100 * shape.fields.length,
    );
  }

  /** Rows that need their computed columns, since it was last asked. */
  takeUnfinished(): UnfinishedRow[] {
    const rows = this.#unfinished;
    if (rows.length > 0) this.#unfinished = [];
    return rows;
  }

  /** Takes a row as a line, where that can be. */
  #line(bytes: Buffer, start: number, end: number): boolean {
    const reader = this.#reader;
    const kind = this.#isSkipping ? undefined : reader.plainKind(bytes, start);
    const shape = kind && this.#shapes.get(reader.relation)?.lines;
    if (!shape) return false;
    this.#pieces.add();
    return this.#sets.addLine(shape, kind, bytes, reader.rowAt, end);
  }

  #change(message: ChangeMessage, bytes: number): void {
    const shape = this.#shapes.get(message.relation) as RowShape;
    const { stream } = shape;
    this.#pieces.add();
    if (message.tag === 'delete') {
      const key = this.#key(shape, message.key);
      if (key) this.#sets.add({ op: 'delete', stream, key }, bytes);
      return;
    }
    const { row } = message;
    for (const at of shape.moneyAt) row[at] = plainMoney(row[at], this.#moneyDigits);
    const before = message.tag === 'update' && message.before ? this.#key(shape, message.before) : undefined;
    if (shape.computed) this.#unfinished.push({ shape, row });
    if (message.tag === 'insert') this.#sets.add({ op: 'insert', stream, row }, bytes);
    else if (before?.some((value, at) => value !== row[shape.keyAt[at] as number]))
      this.#sets.add({ op: 'update', stream, row, key: before }, bytes);
    else this.#sets.add({ op: 'update', stream, row }, bytes);
  }

  #key(shape: RowShape, key: LoggedValue[]): Value[] | undefined {
    for (const at of shape.keyMoneyAt) key[at] = plainMoney(key[at], this.#moneyDigits);
    // A part of a table may log less than the table says. Null is all that is seen of that.
    const lacking = key.findIndex((value) => value === undefined || (value === null && shape.keyIsWhole));
    if (lacking === -1) return key as Value[];
    this.lose(shape.stream, identityChanged(this.#streams[shape.stream] ?? '', [this.#keys[shape.stream]?.[lacking] ?? '']));
    // Until the table is described anew.
    this.#shapes.set(shape.logged.relation, null);
    return undefined;
  }

  /** A stream whose parts were emptied: all of them, or some. */
  truncateParts(stream: number, isWhole: boolean): void {
    const name = this.#streams[stream] ?? '';
    if (isWhole) this.#sets.add({ op: 'truncate', stream }, 0);
    else
      this.lose(
        stream,
        gap(
          'PARTITION_TRUNCATED',
          `A partition of "${name}" was emptied by TRUNCATE. Which rows those were, the log does not tell.`,
          undefined,
          [name],
        ),
      );
  }

  /** From here on the stream is not what the log says of it. The others go on. */
  lose(stream: number, error: OutsideError): void {
    this.#sets.add({ op: 'lost', stream, error }, 0);
  }

  #truncate(relations: readonly number[]): PartsTruncated | undefined {
    if (this.#isSkipping) return undefined;
    const parts = new Map<number, number[]>();
    for (const relation of relations) {
      const shape = this.#shapes.get(relation);
      if (!shape) continue;
      this.#pieces.add();
      if (shape.isPart) parts.set(shape.stream, [...(parts.get(shape.stream) ?? []), relation]);
      else this.#sets.add({ op: 'truncate', stream: shape.stream }, 0);
    }
    return parts.size > 0 ? { tag: 'parts truncated', parts } : undefined;
  }
}

/** What a message that cannot be read means. */
export function unreadable(cause: unknown): OutsideError {
  return new OutsideError(
    'bug',
    'LOG_UNREADABLE',
    `The log of PostgreSQL cannot be understood: ${cause instanceof Error ? cause.message : ''}`,
    { cause },
  );
}

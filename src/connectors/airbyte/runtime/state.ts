import type { JsonObject } from '../../../lib/exact-json.ts';
import type { SliceCursor, KeptValue } from './cursor/cursor.ts';
import { partOf } from './parts.ts';

/** More partitions than this have one state together. */
const MOST_PARTITIONS = 10_000;
/** What stands for a stream that was read in full and has no cursor. */
const NO_CURSOR = '__ab_no_cursor_state_message';

export function isKept(value: unknown): value is KeptValue {
  return typeof value === 'string' || typeof value === 'number';
}

/** What a stream had come to, and what it comes to: in the shape that Airbyte gives it. */
export class ReadState {
  readonly #before: JsonObject;
  readonly #cursor: SliceCursor | undefined;
  readonly #isPartitioned: boolean;
  #isGlobal: boolean;
  /** Of the partitions that have a state of their own. */
  readonly #partitions = new Map<string, { partition: JsonObject; kept: KeptValue }>();
  #whole: KeptValue | undefined;
  #highest: KeptValue | undefined;
  #hasRead = false;
  parents: JsonObject;

  constructor(before: JsonObject, cursor: SliceCursor | undefined, isPartitioned: boolean, isGlobal: boolean) {
    this.#before = before;
    this.#cursor = cursor;
    this.#isPartitioned = isPartitioned;
    this.#isGlobal = isGlobal || before['use_global_cursor'] === true;
    this.parents = partOf(before['parent_state']) ?? {};
    if (!cursor) return;
    this.#whole = keptIn(isPartitioned ? (partOf(before['state']) ?? before) : before, cursor.field);
    this.#highest = this.#whole;
    for (const entry of Array.isArray(before['states']) ? before['states'] : []) {
      const partition = partOf(partOf(entry)?.['partition']);
      const kept = keptIn(partOf(partOf(entry)?.['cursor']) ?? {}, cursor.field);
      if (partition && kept !== undefined) this.#partitions.set(this.keyOf(partition), { partition, kept });
    }
  }

  keyOf(partition: JsonObject): string {
    return JSON.stringify(sorted(partition));
  }

  /** From where a partition is read, and how many seconds more it looks back. */
  of(partition: JsonObject): { known: KeptValue | undefined; lookback: number } {
    if (!this.#isPartitioned) return { known: this.#whole, lookback: 0 };
    const own = this.#isGlobal ? undefined : this.#partitions.get(this.keyOf(partition));
    if (own) return { known: own.kept, lookback: 0 };
    return { known: this.#whole, lookback: this.#whole === undefined ? 0 : Number(this.#before['lookback_window'] ?? 0) || 0 };
  }

  /** A value was seen in some partition. */
  raise(kept: KeptValue): void {
    this.#hasRead = true;
    this.#highest = this.#higher(this.#highest, kept);
  }

  /** Nothing was read before. */
  get isFresh(): boolean {
    return Object.keys(this.#before).length === 0;
  }

  get highest(): KeptValue | undefined {
    return this.#highest;
  }

  /** A partition has been read to its end. */
  close(partition: JsonObject, known: KeptValue | undefined, high: KeptValue | undefined): void {
    const cursor = this.#cursor;
    if (!cursor) return;
    const reached = this.#higher(cursor.keptStart(known), high);
    if (reached === undefined) return;
    if (!this.#isPartitioned) this.#whole = reached;
    else if (!this.#isGlobal) {
      this.#partitions.set(this.keyOf(partition), { partition, kept: reached });
      this.#highest = this.#higher(this.#highest, reached);
      if (this.#partitions.size > MOST_PARTITIONS) this.#isGlobal = true;
    }
  }

  #higher(a: KeptValue | undefined, b: KeptValue | undefined): KeptValue | undefined {
    const [x, y] = [a, b].map((kept) => (kept === undefined ? undefined : this.#cursor?.markOf(kept)));
    if (y === undefined) return a;
    return x === undefined || y > x ? b : a;
  }

  /** What a run that was cut off goes on with: partitions that are done, and for the others what it began with. */
  underWay(): JsonObject {
    return this.#isPartitioned ? { ...this.#before, ...this.#states() } : this.#before;
  }

  /** What the next run begins with. */
  final(seconds: number): JsonObject {
    const cursor = this.#cursor;
    if (!cursor) return { [NO_CURSOR]: true };
    if (!this.#isPartitioned) return this.#whole === undefined ? {} : { [cursor.field]: this.#whole };
    const lookback = this.#hasRead ? Math.ceil(seconds) : (this.#before['lookback_window'] ?? 0);
    const hasParents = Object.keys(this.parents).length > 0;
    return {
      ...this.#states(),
      ...(this.#highest !== undefined && { state: { [cursor.field]: this.#highest } }),
      lookback_window: lookback,
      ...(hasParents && { parent_state: this.parents }),
    };
  }

  #states(): JsonObject {
    const field = this.#cursor?.field ?? '';
    if (this.#isGlobal) return { use_global_cursor: true };
    return {
      use_global_cursor: false,
      states: [...this.#partitions.values()].map(({ partition, kept }) => ({ partition, cursor: { [field]: kept } })),
    };
  }
}

function keptIn(state: JsonObject, field: string): KeptValue | undefined {
  const value = state[field];
  return isKept(value) ? value : undefined;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  const part = partOf(value);
  if (!part) return value;
  return Object.fromEntries(
    Object.entries(part)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

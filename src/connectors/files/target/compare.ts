import { type FileHandle, open, rm } from 'node:fs/promises';
import { type CanonicalType, comparable, type Row, type Value } from '../../canonical.ts';
import type { Changes, Field } from '../../contract.ts';
import { Digest } from './digest.ts';

// What is compared are digests of keys and rows, 32 bytes each, in partitions: what belongs together falls into the same one,
// and only one of them is looked at at a time. Beyond a few megabytes they wait on disk.
const RECORD = 32;
const PARTITIONS = 256;
const [YOUNG, MARKED, SPARED] = [1, 2, 4];
const IN_MEMORY = 4 * 1024 * 1024;

export interface Comparison extends Changes {
  /** Rows of the new ones, by number, that a later one with the same key replaces. */
  readonly superseded: Bits;
  /** Rows of the old ones, by number, whose keys are not among the new ones. */
  readonly gone: Bits;
  /** Rows of the old ones, by number, whose keys are among those that are to be left alone. */
  readonly spared: Bits;
}

export interface Side {
  readonly rows: AsyncIterable<readonly Row[]>;
  /** Rows that are known to be gone already: they stay as they are and are not counted again. */
  isMarked?(row: Row): boolean;
}

/**
 * Compares what a file holds with what it shall hold, by key; without a key, by whole rows. What has one of the `spared` keys and
 * is not among the new ones is neither.
 */
export async function compareRows(
  old: Side,
  young: Side,
  spared: AsyncIterable<readonly Row[]>,
  fields: readonly Field[],
  key: readonly string[],
  scratch: string,
): Promise<Comparison> {
  const keyAt = key.map((name) => fields.findIndex((field) => field.name === name));
  const spill = new Spill(scratch);
  const [own, whole] = [new Digest(), new Digest()];
  try {
    for (const [isYoung, side] of [
      [false, old],
      [true, young],
    ] as const) {
      let number = 0;
      for await (const rows of side.rows) {
        for (const row of rows) {
          whole.reset();
          for (let at = 0; at < fields.length; at++) whole.add(settled((fields[at] as Field).type, row[at] ?? null));
          own.reset();
          for (const at of keyAt) own.add(settled((fields[at] as Field).type, row[at] ?? null));
          const flags = (isYoung ? YOUNG : 0) | (side.isMarked?.(row) ? MARKED : 0);
          if (spill.isFull) await spill.flush();
          spill.add(keyAt.length === 0 ? whole : own, whole, number++, flags);
        }
      }
    }
    for await (const keys of spared) {
      for (const key of keys) {
        own.reset();
        for (const [place, at] of keyAt.entries()) own.add(settled((fields[at] as Field).type, key[place] ?? null));
        if (spill.isFull) await spill.flush();
        spill.add(own, own, 0, SPARED);
      }
    }
    const result = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, superseded: new Bits(), gone: new Bits(), spared: new Bits() };
    for await (const records of spill.partitions()) {
      if (keyAt.length > 0) byKey(records, result);
      else byRow(records, result);
    }
    return result;
  } finally {
    await spill.close();
  }
}

/** The form in which equal values are equal texts; most are so already, and then cost nothing. */
function settled(type: CanonicalType, value: Value): Value {
  if (value === null) return null;
  switch (type) {
    case 'int64':
      return /^-?0\d|^-0$/.test(value) ? comparable(type, value) : value;
    case 'decimal':
      return /^[+-]?0\d|^[+.]|^-\.|\.\d*0$|\.$|^-0*$/.test(value) ? comparable(type, value) : value;
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return value.includes('.') ? comparable(type, value) : value;
    case 'float64':
    case 'json':
      return comparable(type, value);
    default:
      return value;
  }
}

type Records = { own: string; whole: string; number: number; isYoung: boolean; isMarked: boolean; isSpared: boolean }[];
type Result = { inserted: number; updated: number; unchanged: number; deleted: number; superseded: Bits; gone: Bits; spared: Bits };

function byKey(records: Records, result: Result): void {
  const young = new Map<string, { whole: string; number: number; isMet: boolean }>();
  const spared = new Set<string>();
  for (const { own, whole, number, isYoung, isSpared } of records) {
    if (isSpared) spared.add(own);
    if (!isYoung) continue;
    const before = young.get(own);
    if (before) result.superseded.set(before.number);
    young.set(own, { whole, number, isMet: false });
  }
  for (const { own, whole, number, isYoung, isMarked, isSpared } of records) {
    if (isYoung || isSpared) continue;
    const now = young.get(own);
    if (!now && spared.has(own)) {
      result.spared.set(number);
      continue;
    }
    if (!now || now.isMet) {
      result.gone.set(number);
      if (!isMarked) result.deleted++;
      continue;
    }
    now.isMet = true;
    if (now.whole === whole && !isMarked) result.unchanged++;
    else result.updated++;
  }
  for (const { isMet } of young.values()) if (!isMet) result.inserted++;
}

function byRow(records: Records, result: Result): void {
  const counts = new Map<string, number>();
  for (const { whole, isYoung } of records) if (isYoung) counts.set(whole, (counts.get(whole) ?? 0) + 1);
  for (const { whole, number, isYoung, isMarked } of records) {
    if (isYoung) continue;
    const left = counts.get(whole) ?? 0;
    if (left > 0 && !isMarked) {
      counts.set(whole, left - 1);
      result.unchanged++;
    } else {
      result.gone.set(number);
      if (!isMarked) result.deleted++;
    }
  }
  for (const left of counts.values()) result.inserted += left;
}

/** A set of row numbers. */
class Bits {
  #bits = new Uint8Array(1024);
  isEmpty = true;

  set(number: number): void {
    const at = Math.floor(number / 8);
    if (at >= this.#bits.length) {
      const more = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      more.set(this.#bits);
      this.#bits = more;
    }
    this.#bits[at] = (this.#bits[at] as number) | (1 << (number % 8));
    this.isEmpty = false;
  }

  has(number: number): boolean {
    return ((this.#bits[Math.floor(number / 8)] ?? 0) & (1 << (number % 8))) !== 0;
  }
}

/** Records, in partitions by the first byte of their key's digest. */
class Spill {
  readonly #path: string;
  #log = Buffer.allocUnsafeSlow(IN_MEMORY);
  #at = 0;
  #file: FileHandle | undefined;
  #end = 0;
  /** Where in the file the pieces of each partition lie. */
  readonly #pieces: { at: number; length: number }[][] = Array.from({ length: PARTITIONS }, () => []);

  constructor(path: string) {
    this.#path = path;
  }

  get isFull(): boolean {
    return this.#at >= this.#log.length;
  }

  add(own: Digest, whole: Digest, number: number, flags: number): void {
    const [log, at] = [this.#log, this.#at];
    own.write(log, at);
    // Of the row nine bytes are enough: it is only ever compared with one other.
    whole.write(log, at + 16);
    log.writeUIntBE(number, at + 25, 6);
    log[at + 31] = flags;
    this.#at = at + RECORD;
  }

  async flush(): Promise<void> {
    this.#file ??= await open(this.#path, 'wx+', 0o600);
    const { sorted, counts } = this.#sorted();
    await this.#file.write(sorted, 0, sorted.length, this.#end);
    let at = this.#end;
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const length = (counts[partition] as number) * RECORD;
      if (length > 0) this.#pieces[partition]?.push({ at, length });
      at += length;
    }
    this.#end = at;
    this.#at = 0;
  }

  /** The records that are in memory, by partition and otherwise in their order. */
  #sorted(): { sorted: Buffer; counts: Uint32Array } {
    const counts = new Uint32Array(PARTITIONS);
    for (let at = 0; at < this.#at; at += RECORD) counts[this.#log[at] as number] = (counts[this.#log[at] as number] as number) + 1;
    const places = new Uint32Array(PARTITIONS);
    for (let partition = 1; partition < PARTITIONS; partition++)
      places[partition] = (places[partition - 1] as number) + (counts[partition - 1] as number) * RECORD;
    const sorted = Buffer.allocUnsafeSlow(this.#at);
    for (let at = 0; at < this.#at; at += RECORD) {
      const partition = this.#log[at] as number;
      this.#log.copy(sorted, places[partition], at, at + RECORD);
      places[partition] = (places[partition] as number) + RECORD;
    }
    return { sorted, counts };
  }

  async *partitions(): AsyncGenerator<Records> {
    const { sorted, counts } = this.#sorted();
    let from = 0;
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const buffers: Buffer[] = [];
      for (const { at, length } of this.#pieces[partition] ?? []) {
        const bytes = Buffer.allocUnsafe(length);
        await this.#file?.read(bytes, 0, length, at);
        buffers.push(bytes);
      }
      const to = from + (counts[partition] as number) * RECORD;
      const all = Buffer.concat([...buffers, sorted.subarray(from, to)]);
      from = to;
      const records: Records = [];
      for (let at = 0; at < all.length; at += RECORD) {
        const flags = all[at + 31] as number;
        records.push({
          own: all.toString('latin1', at, at + 16),
          whole: all.toString('latin1', at + 16, at + 25),
          number: all.readUIntBE(at + 25, 6),
          isYoung: (flags & YOUNG) !== 0,
          isMarked: (flags & MARKED) !== 0,
          isSpared: (flags & SPARED) !== 0,
        });
      }
      yield records;
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
    if (this.#file) await rm(this.#path, { force: true });
  }
}

/** Records that are parsed at once. */
interface ParsedTogether {
  /** The value of one of them, once; undefined where it has to be parsed alone. */
  take(place: number): unknown;
}

/** A record as it stands in the answer. A page may have thousands: what is seldom asked for is made when it is. */
export class FoundRecord {
  /** What it lies in, from one byte up to another. */
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  /** Nested so deeply that nobody should try to parse it. */
  readonly isTooDeep: boolean;
  /** Those that it can be parsed with, and its place among them. */
  group: ParsedTogether | undefined;
  place = 0;

  constructor(bytes: Buffer, from: number, to: number, isTooDeep: boolean) {
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    this.isTooDeep = isTooDeep;
  }

  get text(): Buffer {
    return this.bytes.subarray(this.from, this.to);
  }

  /** In bytes. */
  get size(): number {
    return this.to - this.from;
  }
}

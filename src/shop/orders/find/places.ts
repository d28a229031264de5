/**
 * Some of the orders of a segment, by their places in it: a bit for each. As text they are a list of steps ("3,1,7"), or the bits in base64 behind
 * "=", whichever is shorter.
 */
export class PlaceSet {
  readonly bits: Uint32Array;

  constructor(room: number | Uint32Array) {
    this.bits = typeof room === 'number' ? new Uint32Array((room + 31) >> 5) : room;
  }

  static all(room: number): PlaceSet {
    const places = new PlaceSet(room);
    places.bits.fill(0xff_ff_ff_ff);
    if (room % 32 !== 0) places.bits[places.bits.length - 1] = 2 ** (room % 32) - 1;
    return places;
  }

  add(place: number): void {
    this.bits[place >> 5]! |= 1 << (place & 31);
  }

  delete(place: number): void {
    this.bits[place >> 5]! &= ~(1 << (place & 31));
  }

  has(place: number): boolean {
    return ((this.bits[place >> 5] ?? 0) & (1 << (place & 31))) !== 0;
  }

  addRange(from: number, before: number): void {
    for (let place = from; place < before; place++) this.add(place);
  }

  addAll({ bits }: PlaceSet): void {
    for (let i = 0; i < bits.length; i++) this.bits[i]! |= bits[i] as number;
  }

  keep({ bits }: PlaceSet): void {
    for (let i = 0; i < this.bits.length; i++) this.bits[i]! &= bits[i] ?? 0;
  }

  /** Those whose number, by their place, is in a range. */
  keepWithin(numbers: Uint32Array | Float64Array, from: number, before: number): void {
    const { bits } = this;
    for (let i = 0; i < bits.length; i++) {
      let within = 0;
      const end = Math.min(32, numbers.length - i * 32);
      // A word at a time: among a million numbers, taking out one after the other takes three times as long.
      for (let bit = bits[i] === 0 ? end : 0; bit < end; bit++) {
        const number = numbers[i * 32 + bit] as number;
        if (number >= from && number < before) within |= 1 << bit;
      }
      bits[i]! &= within;
    }
  }

  count(): number {
    let sum = 0;
    for (const word of this.bits) sum += ones(word);
    return sum;
  }

  /** In their order. */
  forEach(visit: (place: number) => void): void {
    const { bits } = this;
    for (let i = 0; i < bits.length; i++) {
      for (let left = bits[i] as number; left !== 0; left &= left - 1) visit(i * 32 + 31 - Math.clz32(left & -left));
    }
  }

  /** In their order. */
  list(): number[] {
    const found: number[] = [];
    this.forEach((place) => void found.push(place));
    return found;
  }

  text(): string {
    const bitmap = 1 + Math.ceil((this.bits.length * 4) / 3);
    const places = this.list();
    // A step takes two characters at least.
    if (places.length * 2 < bitmap) {
      const steps = stepsOf(places);
      if (steps.length <= bitmap) return steps;
    }
    return `=${Buffer.from(this.bits.buffer, this.bits.byteOffset, this.bits.byteLength).toString('base64')}`;
  }

  /** Adds what a text names. */
  addText(text: string): void {
    if (text.startsWith('=')) {
      const bytes = Buffer.from(text.slice(1), 'base64');
      for (let i = 0; i < this.bits.length; i++) this.bits[i]! |= bytes.readUInt32LE(i * 4);
      return;
    }
    let place = 0;
    for (const step of text.split(',')) this.add((place += Number(step)));
  }
}

/** PlaceSet in their order, as the steps from each to the next. */
export function stepsOf(places: readonly number[]): string {
  let last = 0;
  let text = '';
  for (const place of places) {
    text += text === '' ? place - last : `,${place - last}`;
    last = place;
  }
  return text;
}

function ones(word: number): number {
  let n = word - ((word >>> 1) & 0x55_55_55_55);
  n = (n & 0x33_33_33_33) + ((n >>> 2) & 0x33_33_33_33);
  return (((n + (n >>> 4)) & 0x0f_0f_0f_0f) * 0x01_01_01_01) >>> 24;
}

/** A number of any length with a fixed number of decimals: `units / 10^scale`. Exact, unlike a double. */
export class Decimal {
  readonly units: bigint;
  readonly scale: number;

  constructor(units: bigint, scale: number) {
    this.units = units;
    this.scale = scale;
  }

  /** Undefined for text that is not a plain decimal number, `NaN` and `Infinity` among it. */
  static parse(text: string): Decimal | undefined {
    const match = PLAIN.exec(text);
    if (!match || text.length > MAX_DIGITS) return undefined;
    const [, sign = '', whole = '', fraction = ''] = match;
    if (whole === '' && fraction === '') return undefined;
    const units = BigInt(whole + fraction);
    return new Decimal(sign === '-' ? -units : units, fraction.length);
  }

  /** As `parse`, of text that may have an exponent, such as a double prints. */
  static parseScientific(text: string): Decimal | undefined {
    const [mantissa = '', exponent = ''] = text.split(/[eE]/, 2);
    const plain = Decimal.parse(mantissa);
    if (!plain || !/[eE]/.test(text)) return plain;
    if (!/^[+-]?\d{1,3}$/.test(exponent)) return undefined;
    const scale = plain.scale - Number(exponent);
    return scale >= 0 ? new Decimal(plain.units, scale) : new Decimal(plain.units * power(-scale), 0);
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.#unitsAt(scale) + other.#unitsAt(scale), scale);
  }

  minus(other: Decimal): Decimal {
    return this.plus(other.negated());
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.units * other.units, this.scale + other.scale);
  }

  /** Rounded half away from zero to `scale` decimals. The divisor is not zero. */
  dividedBy(other: Decimal, scale: number): Decimal {
    const shift = scale + other.scale - this.scale;
    const dividend = shift >= 0 ? this.units * power(shift) : this.units;
    const divisor = shift >= 0 ? other.units : other.units * power(-shift);
    return new Decimal(divideRounded(dividend, divisor), scale);
  }

  /** What is left of a division that is cut to a whole number. The divisor is not zero. */
  remainder(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.#unitsAt(scale) % other.#unitsAt(scale), scale);
  }

  /** With exactly `scale` decimals, rounded half away from zero. */
  rounded(scale: number): Decimal {
    if (scale >= this.scale) return new Decimal(this.#unitsAt(scale), scale);
    return new Decimal(divideRounded(this.units, power(this.scale - scale)), scale);
  }

  negated(): Decimal {
    return new Decimal(-this.units, this.scale);
  }

  /** Without zeros at the end of its decimals. */
  trimmed(): Decimal {
    let { units, scale } = this;
    if (scale === 0 || units % 10n !== 0n) return this;
    // Many at a time first: to take a thousand zeros away one by one takes a thousand divisions of a long number.
    for (const zeros of [256, 32, 4, 1]) {
      while (scale >= zeros && units % power(zeros) === 0n) {
        units /= power(zeros);
        scale -= zeros;
      }
    }
    return scale === this.scale ? this : new Decimal(units, scale);
  }

  /** Negative, zero or positive. */
  compare(other: Decimal): number {
    const scale = Math.max(this.scale, other.scale);
    const [a, b] = [this.#unitsAt(scale), other.#unitsAt(scale)];
    return a < b ? -1 : a > b ? 1 : 0;
  }

  /** The whole number that it is, or undefined. */
  whole(): bigint | undefined {
    const { units, scale } = this.trimmed();
    return scale === 0 ? units : undefined;
  }

  /** The nearest double. */
  toNumber(): number {
    return Number(this.toString());
  }

  toString(): string {
    if (this.scale === 0) return this.units.toString();
    const digits = (this.units < 0n ? -this.units : this.units).toString().padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    return `${this.units < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
  }

  #unitsAt(scale: number): bigint {
    return scale === this.scale ? this.units : this.units * power(scale - this.scale);
  }
}

/** More than any database holds in a number; to read still more would only keep us busy. */
const MAX_DIGITS = 200_000;

const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?$/;
const POWERS = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

function power(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const rest = dividend % divisor;
  const twice = rest < 0n ? -2n * rest : 2n * rest;
  if (twice < (divisor < 0n ? -divisor : divisor)) return quotient;
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

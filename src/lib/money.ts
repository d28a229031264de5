/**
 * Money is counted in ten-thousandths as a bigint, stored and sent as decimal text, and never passes through binary
 * floating point on the way: `19.99 × 3` is `59.97`.
 */
export type Units = bigint;

export const MAX_PRICE = 99_999_999.9999;
/** What an amount may be that is no price of a unit: with four decimals it has 15 digits, which a double holds. */
export const MAX_AMOUNT = 99_999_999_999.9999;
const SCALE = 10_000;
const CENT = SCALE / 100;
/** What stands behind the whole number, by its hundredths. */
const CENTS: readonly string[] = Array.from({ length: 100 }, (_, cents) => (cents === 0 ? '' : String(cents / 100).slice(1)));
const EXACT_AS_DOUBLE = 10n ** 15n;

/** The units of a price that came as a JSON number, or undefined when it has more than four decimals. */
export function unitsOf(price: number): Units | undefined {
  const units = Math.round(price * SCALE);
  // Division rounds correctly, so this holds exactly when `price` is the double nearest to a decimal of four places.
  return Number.isSafeInteger(units) && units / SCALE === price ? BigInt(units) : undefined;
}

/** The units of decimal text that we wrote ourselves, and that is not negative. */
export function unitsOfText(text: string): Units {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * BigInt(SCALE) + BigInt(fraction.padEnd(4, '0'));
}

/** Decimal text without superfluous zeros. */
export function decimalText(units: Units): string {
  if (units >= 0n && units < EXACT_AS_DOUBLE) {
    const count = Number(units);
    const fraction = count % SCALE;
    // Most amounts have two decimals, and whole numbers are printed in a third of the time.
    if (fraction % CENT === 0) return `${(count - fraction) / SCALE}${CENTS[fraction / CENT]}`;
    // Up to 15 digits a double prints exactly the decimal it was divided from.
    return String(count / SCALE);
  }
  if (units < 0n) return `-${decimalText(-units)}`;
  const scale = BigInt(SCALE);
  const whole = units / scale;
  const fraction = units % scale;
  if (fraction === 0n) return whole.toString();
  return `${whole}.${fraction.toString().padStart(4, '0').replace(/0+$/, '')}`;
}

/** `above / below` units, both of them not negative, rounded to so many decimals; a half goes up. */
export function roundedTo(digits: number, above: bigint, below: bigint): Units {
  const step = STEPS[digits] as Units;
  const coins = below * step;
  return ((above + above + coins) / (coins + coins)) * step;
}

/** The smallest coin of a currency, by its decimals. */
const STEPS: readonly Units[] = [10_000n, 1_000n, 100n, 10n, 1n];

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
const STEP = 1000;
/** More than a double can count one by one. */
const LARGEST = Number.MAX_SAFE_INTEGER;

/** The bytes of `10 GB`, `512MB` or a number of bytes, units in steps of 1000; undefined for anything else. */
export function bytesOfSize(size: string | number): number | undefined {
  if (typeof size === 'number') return Number.isSafeInteger(size) && size >= 0 ? size : undefined;
  const [, count = '', unit = 'B'] = /^\s*(\d{1,15}(?:\.\d{1,3})?)\s*([kmgtp]?b)?\s*$/i.exec(size) ?? [];
  const power = UNITS.findIndex((one) => one.toLowerCase() === unit.toLowerCase());
  const bytes = Math.round(Number(count) * STEP ** power);
  return count !== '' && power >= 0 && bytes <= LARGEST ? bytes : undefined;
}

/** Bytes in the largest unit that tells them exactly. */
export function sizeOfBytes(bytes: number): string {
  let [count, power] = [bytes, 0];
  while (count > 0 && count % STEP === 0 && power < UNITS.length - 1) [count, power] = [count / STEP, power + 1];
  return `${count} ${UNITS[power]}`;
}

/** `1 order`, `3,000 orders`. */
export function amount(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

export function fileSize(bytes: number): string {
  if (bytes < 1000) return amount(bytes, 'byte');
  const [unit, name] = bytes < 1e6 ? [1e3, 'KB'] : bytes < 1e9 ? [1e6, 'MB'] : [1e9, 'GB'];
  return `${(bytes / unit).toLocaleString('en', { maximumFractionDigits: 1 })} ${name}`;
}

/** What a backup holds, in a few words. */
export function contentOf(rows: Readonly<Record<string, number>>): string {
  const [last, ...others] = ['key', 'event', 'product', 'order'].map((noun) => amount(rows[`${noun}s`] ?? 0, noun));
  return `${others.toReversed().join(', ')} and ${last}`;
}

/** What a command was asked for, on standard output: fit to be read by programs. */
export function show(text: string): void {
  process.stdout.write(text);
}

/** What a person wants to know besides, on the other channel. */
export function explain(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function pretty(data: unknown): string {
  return `${JSON.stringify(data, undefined, 2)}\n`;
}

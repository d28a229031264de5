const MOST_CHARACTERS = 100;

/** A value as it is shown in the reason against its row: enough to recognise it, and never more than a line. */
export function valueInWords(value: unknown): string {
  const isText = typeof value === 'string';
  const text = isText ? value : (JSON.stringify(value) ?? 'nothing');
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…` : text.toWellFormed();
  return isText ? JSON.stringify(short) : short;
}

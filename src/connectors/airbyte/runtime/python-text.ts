import { isJsonObject, keptNumber } from '../../../lib/exact-json.ts';

/** A value as Python's `str` writes it: so it gets into paths, parameters and headers. */
export function pythonText(value: unknown): string {
  if (typeof value === 'string') return value;
  return represented(value);
}

function represented(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(represented).join(', ')}]`;
  const kept = keptNumber(value);
  if (kept !== undefined) return kept;
  if (isJsonObject(value))
    return `{${Object.entries(value)
      .map(([name, member]) => `${quoted(name)}: ${represented(member)}`)
      .join(', ')}}`;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return quote + escaped.replaceAll(quote, `\\${quote}`) + quote;
}

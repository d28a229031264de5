import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject, keptNumber, parseExactly } from '../../../lib/exact-json.ts';
import type { Reject } from '../../batch.ts';
import type { CanonicalType, Row, Value } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { fromJson, typeOfJson, widen } from '../../json-values.ts';
import { valueInWords } from '../../value-in-words.ts';
import type { FieldConfig } from '../config/config.ts';
import { at, parsePath, type Path } from './paths.ts';
import type { FoundRecord } from './found-record.ts';

/** A field and where it is in a record. */
export interface PlacedField extends Field {
  readonly path: Path;
}

const MAX_RAW = 64 * 1024;

/** The record, or why it is none. */
export function parseRecord(found: FoundRecord): { record: JsonObject } | { reject: Reject } {
  const taken = found.group?.take(found.place);
  if (isJsonObject(taken)) return { record: taken };
  const { text, isTooDeep } = found;
  const refuse = (reason: string) => ({ reject: { row: { raw: text.subarray(0, MAX_RAW).toString('utf8') }, reason } });
  if (isTooDeep) return refuse('The record is nested too deeply.');
  if (!isUtf8(text)) return refuse('The record is not valid UTF-8.');
  try {
    const value = parseExactly(text.toString('utf8'));
    return isJsonObject(value) ? { record: value } : refuse('The record is not a JSON object.');
  } catch {
    return refuse('The record is not valid JSON.');
  }
}

/** The values of a record, or which of them is not what its field says. */
export function rowOf(record: JsonObject, fields: readonly PlacedField[]): { row: Row } | { reject: Reject } {
  const row: Value[] = [];
  for (const field of fields) {
    const value = at(record, field.path);
    const canonical = valueOf(field.type, value);
    const reason =
      canonical === undefined
        ? `"${field.name}" is not of the type ${field.type}: ${valueInWords(value)}.`
        : canonical === null && !field.nullable
          ? `"${field.name}" is missing.`
          : undefined;
    if (reason !== undefined) return { reject: { row: plain(record) as JsonObject, field: field.name, reason } };
    row.push(canonical as Value);
  }
  return { row };
}

/** With numbers that no double holds as texts: what is kept as it was written cannot be handed to another thread. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return keptNumber(value) ?? value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** A JSON value as a canonical one; undefined when it is not of this type. */
export function valueOf(type: CanonicalType, value: unknown): Value | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return fromJson(type, value);
  if (type === 'binary' && typeof value === 'string' && !value.startsWith('\\x')) return fromBase64(value);
  const canonical = fromJson(type, value);
  // Half of a surrogate pair has no UTF-8; the row cannot go anywhere.
  return typeof canonical === 'string' && !canonical.isWellFormed() ? undefined : canonical;
}

function fromBase64(text: string): string | undefined {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  const bytes = Buffer.from(plain, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === plain ? `\\x${bytes.toString('hex')}` : undefined;
}

export function declaredFields(fields: readonly FieldConfig[], key: readonly string[]): PlacedField[] {
  return fields.map(({ name, type, path, required }) => ({
    name,
    type,
    nullable: !required && !key.includes(name),
    path: path === undefined ? [name] : parsePath(path),
  }));
}

/** The fields of some records, with the narrowest types that hold all their values. */
export function inferFields(records: readonly JsonObject[], key: readonly string[]): PlacedField[] {
  const types = new Map<string, CanonicalType | undefined>();
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) types.set(name, widen(types.get(name), typeOfJson(value)));
  }
  return [...types].map(([name, type = 'text']) => ({ name, type, nullable: !key.includes(name), path: [name] }));
}

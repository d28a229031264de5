import { isJsonObject, keptNumber } from '../../../../lib/exact-json.ts';
import type { Reject } from '../../../batch.ts';
import type { CanonicalType, Row, Value } from '../../../canonical.ts';
import { nestsTooDeeply } from '../../../field-limits.ts';
import { fromJson } from '../../../json-values.ts';
import { valueInWords } from '../../../value-in-words.ts';
import type { ManifestField } from '../schema/fields.ts';
import { valueAt } from './dpath.ts';
import type { MutableRecord } from './transform.ts';

/** The values of a record, or which of them is not what its field says. */
export function rowOf(record: MutableRecord, fields: readonly ManifestField[]): { row: Row } | { reject: Reject } {
  const row: Value[] = [];
  for (const field of fields) {
    const given = field.path.length === 1 ? record[field.path[0] as string] : valueAt(record, field.path);
    const value = valueOf(field.type, given);
    const reason =
      value === undefined
        ? `"${field.name}" is not of the type ${field.type}: ${valueInWords(given)}.`
        : value === null && !field.nullable
          ? `"${field.name}" is missing.`
          : undefined;
    if (reason !== undefined) return { reject: { row: plain(record) as MutableRecord, field: field.name, reason } };
    row.push(value as Value);
  }
  return { row };
}

const MAX_SHOWN_DEPTH = 64;

/** With numbers that no double holds as texts: what is kept as it was written cannot be handed to another thread. What is very deep is not shown. */
function plain(value: unknown, depth = 0): unknown {
  if (depth > MAX_SHOWN_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((entry) => plain(entry, depth + 1));
  if (!isJsonObject(value)) return keptNumber(value) ?? value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member, depth + 1)]));
}

const EMPTY_IS_NOTHING: ReadonlySet<CanonicalType> = new Set([
  'int64',
  'decimal',
  'float64',
  'boolean',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'uuid',
]);

/** A JSON value as a canonical one; undefined when it is not of this type. Schemas of manifests are often inexact about times, so these are read generously. */
function valueOf(type: CanonicalType, value: unknown): Value | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return fromJson(type, value);
  if (value === '' && EMPTY_IS_NOTHING.has(type)) return null;
  const canonical = fromJson(type, value) ?? (typeof value === 'string' ? timeOf(type, value) : undefined);
  if (typeof value === 'object' && typeof canonical === 'string' && nestsTooDeeply(canonical)) return undefined;
  if (canonical === undefined && (value === null || value === undefined)) return null;
  // Half of a surrogate pair has no UTF-8; the row cannot go anywhere.
  return typeof canonical === 'string' && !canonical.isWellFormed() ? undefined : canonical;
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d+))?)? ?(Z|UTC|[+-]\d{2}:?\d{2})?$/i;

/** A date without a time is its midnight, a time without a zone is UTC, and of a second there are no more than six digits. */
function timeOf(type: CanonicalType, text: string): string | undefined {
  const match = TIME.exec(text.trim());
  if (!match) return undefined;
  const [, date = '', clock = '00:00:00', fraction = '', zone = 'Z'] = match;
  const digits = fraction.slice(0, 6);
  const local = `${date}T${clock.length === 5 ? `${clock}:00` : clock}${digits === '' ? '' : `.${digits}`}`;
  switch (type) {
    case 'timestamptz':
      return fromJson('timestamptz', `${local}${/^utc$/i.test(zone) ? 'Z' : zone}`) ?? undefined;
    case 'timestamp':
      return fromJson('timestamp', local) ?? undefined;
    case 'date':
      return fromJson('date', date) ?? undefined;
    default:
      return undefined;
  }
}

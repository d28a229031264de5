import type { Reject } from '../../batch.ts';
import { isCanonical, type Row, type Value } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { valueInWords } from '../../value-in-words.ts';
import { encodeText } from '../text/encoding.ts';
import type { FileReading } from '../source/look.ts';
import { parquetLacks } from '../../../lib/parquet-writer.ts';
import { csvLacks } from '../text/writers.ts';

/** Parts rows that can be written from those that cannot, and says why. */
export function refuse(
  rows: readonly Row[],
  fields: readonly Field[],
  key: readonly string[],
  reading: FileReading,
): { good: readonly Row[]; rejects: Reject[] } {
  const isKey = fields.map((field) => key.includes(field.name));
  const rejects: Reject[] = [];
  const good = rows.filter((row, index) => {
    for (let at = 0; at < fields.length; at++) {
      const reason = reasonAgainst(row[at] ?? null, fields[at] as Field, isKey[at] as boolean, reading);
      if (reason === undefined) continue;
      const { name } = fields[at] as Field;
      rejects.push({
        index,
        row: Object.fromEntries(fields.map((field, place) => [field.name, row[place] ?? null])),
        field: name,
        reason: `"${name}" ${reason}.`,
      });
      return false;
    }
    return true;
  });
  return { good: rejects.length === 0 ? rows : good, rejects };
}

function reasonAgainst(value: Value, field: Field, isKey: boolean, reading: FileReading): string | undefined {
  if (value === null) {
    if (isKey) return 'is part of the key and has no value';
    return reading.dialect && csvLacks(reading.dialect, null) ? 'has no value, and no spelling of null is set for this file' : undefined;
  }
  if (field.type === 'text' ? !value.isWellFormed() : !isCanonical(field.type, value))
    return `is not of the type ${field.type}: ${valueInWords(value)}`;
  if (reading.format === 'parquet')
    return parquetLacks(field, value) ? `is a ${field.type} that Parquet cannot hold: ${valueInWords(value)}` : undefined;
  // A member that is null and one that is a JSON null look the same.
  if (reading.format === 'jsonl' && field.type === 'json' && value.trim() === 'null')
    return 'is a JSON null, which JSON Lines cannot tell from no value';
  if (reading.dialect && csvLacks(reading.dialect, value)) return 'cannot be written without quotes';
  if (!reading.encoding.startsWith('utf-') && encodeText(value, reading.encoding) === undefined)
    return `has characters that ${reading.encoding} lacks`;
  return undefined;
}

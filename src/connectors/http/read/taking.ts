import { type JsonObject, scalarText } from '../../../lib/exact-json.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Reject } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import { at, parsePath } from '../answer/paths.ts';
import type { FoundRecord } from '../answer/found-record.ts';
import { parseRecord, rowOf, valueOf } from '../answer/records.ts';
import type { Gathered, Sized } from './gathered.ts';
import { type CursorMark, digestOf, type MarkKeeper } from './mark.ts';
import type { HttpReadPlan } from './plan.ts';

/** A cursor is kept in every position. */
const MAX_MARK = 4096;

export interface Taking {
  readonly gathered: Gathered;
  readonly marks: MarkKeeper;
  readonly since: CursorMark | undefined;
}

/** Adds a record to what is gathered; answers how many rows that made. */
export function take(plan: HttpReadPlan, found: FoundRecord, { gathered, marks, since }: Taking): number {
  const parsed = parseRecord(found);
  if ('reject' in parsed) {
    gathered.reject(parsed.reject, found);
    return 0;
  }
  const made = makeRow(plan, parsed.record);
  if ('reject' in made) {
    gathered.reject(made.reject, found);
    return 0;
  }
  const news = plan.cursor && newsOf(plan, parsed.record, found, since);
  if (news) marks.add(news.value, news.raw, news.digest);
  return news?.isKnown ? 0 : gather(made, gathered, found);
}

/** A record that is parsed already. */
export function takeRecord(plan: HttpReadPlan, record: JsonObject, found: Sized, gathered: Gathered): number {
  const made = makeRow(plan, record);
  if (!('reject' in made)) return gather(made, gathered, found);
  gathered.reject(made.reject, found);
  return 0;
}

/** A row, with its key where deletions are told; or the key of one that is gone, none where nobody has to be told. */
type Made = { row: Row; key?: Row } | { gone: Row | undefined } | { reject: Reject };

function makeRow(plan: HttpReadPlan, record: JsonObject): Made {
  demandKnown(plan, record);
  const { deleted } = plan.stream;
  if (!deleted) return rowOf(record, plan.fields);
  const key = rowOf(record, plan.key);
  if (!isDeleted(record, deleted)) {
    const made = rowOf(record, plan.fields);
    return 'row' in made && 'row' in key ? { row: made.row, key: key.row } : made;
  }
  // Who reads everything finds out by itself that it is not among it. Of what is gone, often nothing but its key is told.
  if (!plan.cursor || plan.key.length === 0) return { gone: undefined };
  return 'row' in key ? { gone: key.row } : key;
}

function gather(made: Exclude<Made, { reject: Reject }>, gathered: Gathered, found: Sized): number {
  if ('gone' in made) {
    if (made.gone) gathered.gone(made.gone, found);
    return 0;
  }
  gathered.row(made.row, found, made.key);
  return 1;
}

function isDeleted(record: JsonObject, { path, equals }: NonNullable<HttpReadPlan['stream']['deleted']>): boolean {
  const value = at(record, parsePath(path));
  if (equals.length > 0) return equals.includes(scalarText(value) ?? '');
  return !(value === undefined || value === null || value === false || value === '' || scalarText(value) === '0');
}

interface News {
  readonly value: string;
  readonly raw: string;
  readonly digest: string;
  /** It was read before and is the same still. */
  readonly isKnown: boolean;
}

/** What a record says about how far the read has come; undefined when it says nothing. */
export function newsOf({ cursor }: HttpReadPlan, record: JsonObject, found: FoundRecord, since: CursorMark | undefined): News | undefined {
  if (!cursor) return undefined;
  const { field, type } = cursor;
  const given = at(record, field.path);
  const value = valueOf(type, given) ?? null;
  if (value === null) return undefined;
  if (value.length > MAX_MARK)
    throw new OutsideError('config', 'CURSOR_INVALID', `A value of "${field.name}" is far too long for a cursor.`, {
      hint: 'Use a number or a time as cursor.',
    });
  const digest = digestOf(found.text);
  return { value, raw: scalarText(given) ?? JSON.stringify(given), digest, isKnown: since?.seen.includes(digest) ?? false };
}

function demandKnown({ known }: HttpReadPlan, record: JsonObject): void {
  if (!known) return;
  const strange = Object.keys(record).filter((name) => !known.has(name));
  if (strange.length === 0) return;
  throw new OutsideError(
    'config',
    'SCHEMA_CHANGED',
    `A record has fields that the first page did not have: ${strange.slice(0, 20).join(', ')}.`,
    {
      hint: 'Declare the `fields` of the stream, or set `new_fields` to `ignore` to read on without them.',
    },
  );
}

import { printable } from '../../../lib/check.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Row } from '../../canonical.ts';

/** What an API may do over a record, each time that it is sent. It is not so with what the network says. */
const OVER_A_RECORD: ReadonlySet<string> = new Set([
  'API_FAILED',
  'REQUEST_FAILED',
  'REQUEST_REFUSED',
  'ANSWER_BROKEN',
  'JSON_TRUNCATED',
  'NOT_JSON',
]);
const MAX_SHOWN = 60;

/** How records are told apart. */
export interface KeyOf {
  readonly names: readonly string[];
  readonly value: (row: Row, name: string) => string | null | undefined;
}

/** A failure that stops the run, with the records that were sent, by their keys alone: one of them may be what the API cannot bear. */
export function ofRecords(error: unknown, rows: readonly Row[], key: KeyOf): unknown {
  if (!(error instanceof OutsideError) || !OVER_A_RECORD.has(error.code) || key.names.length === 0) return error;
  const [first, last] = [rows[0], rows.at(-1)].map((row) => named(row ?? [], key));
  const sent =
    rows.length === 1
      ? `It was sent the record with ${first}.`
      : `It was sent ${rows.length} records, from the one with ${first} to ${last}.`;
  const { kind, code, message, hint, field, retryAfter } = error;
  return new OutsideError(kind, code, `${message} ${sent}`, {
    ...(hint !== undefined && { hint }),
    ...(field !== undefined && { field }),
    ...(retryAfter !== undefined && { retryAfter }),
    cause: error.cause ?? error,
  });
}

function named(row: Row, { names, value }: KeyOf): string {
  return names.map((name) => `${name} ${shown(value(row, name) ?? 'null')}`).join(', ');
}

function shown(value: string): string {
  return printable(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
}

import assert from 'node:assert/strict';
import type { Session } from '../../src/connectors/session.ts';
import { OutsideError } from '../../src/outside/errors.ts';

/** All rows of a stream. */
export async function rowsOf(session: Session, stream: string, fields: string[]): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const batch of session.read({ stream, fields, key: [] })) rows.push(...batch.rows);
  return rows;
}

/** The error with which something fails, as it has to. */
export async function failure(work: Promise<unknown>): Promise<OutsideError> {
  const error = await work.then(
    () => assert.fail('It went well.'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof OutsideError, String(error));
  return error;
}

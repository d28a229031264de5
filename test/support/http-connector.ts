import assert from 'node:assert/strict';
import { Batch } from '../../src/connectors/batch.ts';
import type { Reject } from '../../src/connectors/batch.ts';
import type { Row } from '../../src/connectors/canonical.ts';
import { withDefaults } from '../../src/connectors/config-values.ts';
import type { Context, ReadRequest, WriteRequest } from '../../src/connectors/contract.ts';
import type { Session } from '../../src/connectors/session.ts';
import { OutsideError } from '../../src/outside/errors.ts';
import { type HttpConfig, ConfigSchema } from '../../src/connectors/http/config/config.ts';
import { connector } from '../../src/connectors/http/connector.ts';
import { validate } from '../../src/connectors/http/config/validate.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { checkerOf } from '../../src/lib/check.ts';

const checker = checkerOf(ConfigSchema);

/** A session with an API that is declared as a user would declare it. */
export async function openHttp(
  config: object,
  options: Partial<Pick<Context, 'reach' | 'signal' | 'secrets' | 'tell'>> = {},
): Promise<Session> {
  assert.deepEqual(checker.explain(config), []);
  const filled = withDefaults(ConfigSchema, config) as HttpConfig;
  assert.deepEqual(validate(filled), []);
  return connector.open(filled, {
    reach: options.reach ?? reachOf('any'),
    roots: rootsOf({ folders: [], dataDir: '/nowhere' }),
    signal: options.signal ?? new AbortController().signal,
    ...(options.secrets && { secrets: options.secrets }),
    ...(options.tell && { tell: options.tell }),
  });
}

export interface Outcome {
  rows: Row[];
  batches: Batch[];
  rejects: Reject[];
  /** Of the last batch. */
  position: string;
}

export async function readAll(
  session: Session,
  request: Partial<ReadRequest> & { stream: string; fields: readonly string[] },
): Promise<Outcome> {
  const outcome: Outcome = { rows: [], batches: [], rejects: [], position: '' };
  for await (const batch of session.read({ key: [], ...request })) {
    outcome.batches.push(batch);
    for (const row of batch.rows) outcome.rows.push(row);
    for (const reject of batch.rejects) outcome.rejects.push(reject);
    outcome.position = batch.position;
  }
  return outcome;
}

/** Writes one batch of rows. */
export async function writeRows(
  session: Session,
  request: Partial<WriteRequest> & Pick<WriteRequest, 'stream' | 'fields'>,
  rows: Row[],
  position = 'p1',
) {
  const writer = await session.write({ key: [], mode: 'append', owner: 'tests', token: 1n, create: false, ...request });
  assert.equal(writer.checkpoint, undefined);
  const result = await writer.write(Batch.ofRows(rows, { position }));
  await writer.finish();
  await writer.close();
  return result;
}

/** The OutsideError that it has to fail with. */
export async function failureOf(work: Promise<unknown>): Promise<OutsideError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof OutsideError, `a OutsideError, not ${String(outcome)}`);
  return outcome;
}

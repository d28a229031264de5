import type { WriteRequest } from '../../contract.ts';
import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import type { Wire } from '../wire/connection.ts';

type Claim = Pick<WriteRequest, 'owner' | 'token'>;

/** Longer than most batches take, and much shorter than servers wait for a lock. */
const PATIENCE_SECONDS = 2;

/** The name of a lock that tells which session writes for a claim. Such locks are the whole server's, hence the database. */
function lockOf({ owner, token }: Claim): string {
  return `concat('syncline ', left(sha2(concat(database(), '/', ${textLiteral(owner)}, '/${token}'), 256), 32))`;
}

/**
 * Takes work over, as a session that can be found by those who take it over in turn. A node that sleeps or was cut off may have left
 * its own in a transaction, with the row of the owner locked: its claim is void, but it would hold up all workers after it. So when the row
 * does not come free, that session is ended.
 */
export async function takingOver<T>(wire: Wire, claim: Claim, work: () => Promise<T>): Promise<T> {
  await ifPossible(wire, () => wire.rows(`select get_lock(${lockOf(claim)}, ${PATIENCE_SECONDS})`));
  await wire.run(`set session innodb_lock_wait_timeout = ${PATIENCE_SECONDS}`);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OutsideError && error.code === 'LOCK_TIMEOUT')) throw error;
  } finally {
    if (wire.isOpen) await wire.run('set session innodb_lock_wait_timeout = default');
  }
  await ifPossible(wire, () => evictEarlier(wire, claim));
  return work();
}

async function evictEarlier(wire: Wire, { owner, token }: Claim): Promise<void> {
  const holder = async (claim: Claim): Promise<string | null> => (await wire.rows(`select is_used_lock(${lockOf(claim)})`))[0]?.[0] ?? null;
  // A proxy counts sessions on its own: what is told to it by our number would end another session.
  const [[own] = []] = await wire.rows('select connection_id()');
  if ((await holder({ owner, token })) !== own) return;
  // Read without a lock: whose the work was before.
  const [[stored] = []] = await wire.rows(`select token from ${quote(CHECKPOINT_TABLE)} where owner = ${textLiteral(owner)}`);
  if (stored == null || BigInt(stored) >= token) return;
  const session = await holder({ owner, token: BigInt(stored) });
  if (session !== null) await wire.run(`kill ${session}`);
}

/** Some clusters have no such locks, and the session may be another user's. Then one waits as long as the server says. */
async function ifPossible(wire: Wire, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!wire.isOpen) throw error;
  });
}

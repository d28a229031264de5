import { CHECKPOINT_TABLE, type WriteRequest } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { quote, textLiteral } from './literals.ts';
import type { Wire } from './wire.ts';

type Claim = Pick<WriteRequest, 'owner' | 'token'>;

/** Longer than a batch takes, and much shorter than servers wait for a lock. */
const PATIENCE_SECONDS = 2;

/** The name of a lock that tells which session writes for a claim. Such locks are the whole server's, hence the database. */
function lockOf({ owner, token }: Claim): string {
  return `concat('syncline ', left(sha2(concat(database(), '/', ${textLiteral(owner)}, '/${token}'), 256), 32))`;
}

/** Makes this session one that can be found by those who take over. */
export async function beFound(wire: Wire, claim: Claim): Promise<void> {
  await ifPossible(wire, () => wire.rows(`select get_lock(${lockOf(claim)}, 0)`));
}

/**
 * Does what needs the row of the owner. A node that sleeps or was cut off may have left its session in a transaction, with that row
 * locked: it could commit nothing any more, but would hold up everybody after it. So when the row does not come free, the session
 * that has it is ended.
 */
export async function evicting<T>(wire: Wire, claim: Claim, work: () => Promise<T>): Promise<T> {
  await wire.run(`set session innodb_lock_wait_timeout = ${PATIENCE_SECONDS}`);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConnectorError && error.code === 'LOCK_TIMEOUT')) throw error;
  } finally {
    if (wire.isOpen) await wire.run('set session innodb_lock_wait_timeout = default');
  }
  await ifPossible(wire, () => evictEarlier(wire, claim));
  return work();
}

async function evictEarlier(wire: Wire, { owner, token }: Claim): Promise<void> {
  // Read without a lock: whose the work was before.
  const [[stored] = []] = await wire.rows(`select token from ${quote(CHECKPOINT_TABLE)} where owner = ${textLiteral(owner)}`);
  if (stored == null || BigInt(stored) >= token) return;
  const [[session] = []] = await wire.rows(`select is_used_lock(${lockOf({ owner, token: BigInt(stored) })})`);
  if (session != null) await wire.run(`kill ${session}`);
}

/** Some clusters have no such locks, and the session may be another user's. Then one waits as long as the server says. */
async function ifPossible(wire: Wire, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!wire.isOpen) throw error;
  });
}

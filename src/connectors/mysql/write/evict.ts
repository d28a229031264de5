import { setTimeout as pause } from 'node:timers/promises';
import type { WriteRequest } from '../../contract.ts';
import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import type { Wire } from '../wire/connection.ts';

type Claim = Pick<WriteRequest, 'owner' | 'token'>;

/** Longer than most batches take, and much shorter than servers wait for a lock. */
const PATIENCE_SECONDS = 2;

/** The server tells of transactions what it has told another session within a tenth of a second. In milliseconds, and some more. */
const KEPT_FOR = 150;

/** The name of a lock that tells which session writes for a claim. Such locks are the whole server's, hence the database. */
function lockOf({ owner, token }: Claim): string {
  return `concat('syncline ', left(sha2(concat(database(), '/', ${textLiteral(owner)}, '/${token}'), 256), 32))`;
}

/**
 * Takes work over, as a session that can be found by those who take it over in turn. A node that sleeps or was cut off may have left
 * its own in a transaction: its claim is void, but its locks, on the row of the owner or on those of the table, would hold up all workers after it.
 * So that session is ended: at once where the server tells that it is in a transaction, else when the row of the owner does not come free.
 */
export async function takingOver<T>(wire: Wire, claim: Claim, work: () => Promise<T>): Promise<T> {
  await ifPossible(wire, () => takeName(wire, claim));
  await ifPossible(wire, () => evictEarlier(wire, claim, true));
  await wire.run(`set session innodb_lock_wait_timeout = ${PATIENCE_SECONDS}`);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OutsideError && error.code === 'LOCK_TIMEOUT')) throw error;
  } finally {
    if (wire.isOpen) await wire.run('set session innodb_lock_wait_timeout = default');
  }
  await ifPossible(wire, () => evictEarlier(wire, claim, false));
  return work();
}

/** Makes this the session of the claim. An earlier one of the same claim may not be gone yet: a worker has left it, and the server has not noticed. */
async function takeName(wire: Wire, claim: Claim): Promise<void> {
  const take = async (seconds: number): Promise<boolean> =>
    (await wire.rows(`select get_lock(${lockOf(claim)}, ${seconds})`))[0]?.[0] === '1';
  if (await take(PATIENCE_SECONDS)) return;
  const session = await sessionOf(wire, claim);
  if (session !== null && (await isReachedDirectly(wire))) await wire.run(`kill ${session}`);
  await take(PATIENCE_SECONDS);
}

async function evictEarlier(wire: Wire, { owner, token }: Claim, onlyWithin: boolean): Promise<void> {
  const [[own] = []] = await wire.rows('select connection_id()');
  if ((await sessionOf(wire, { owner, token })) !== own) return;
  const stored = await storedToken(wire, owner);
  if (stored === undefined || stored >= token) return;
  const session = await sessionOf(wire, { owner, token: stored });
  if (session !== null && (!onlyWithin || (await isWithin(wire, session)))) await wire.run(`kill ${session}`);
}

/** Whose the work was before. Read without a lock, and also when it is not committed: it may be the first claim of all that sleeps. */
async function storedToken(wire: Wire, owner: string): Promise<bigint | undefined> {
  await wire.run('set transaction isolation level read uncommitted');
  const [[stored] = []] = await wire.rows(`select token from ${quote(CHECKPOINT_TABLE)} where owner = ${textLiteral(owner)}`);
  return stored == null ? undefined : BigInt(stored);
}

async function sessionOf(wire: Wire, claim: Claim): Promise<string | null> {
  return (await wire.rows(`select is_used_lock(${lockOf(claim)})`))[0]?.[0] ?? null;
}

/** Whether a session is in a transaction. A user without the right to see the sessions of others (PROCESS) is not told. */
async function isWithin(wire: Wire, session: string): Promise<boolean> {
  const look = async (): Promise<boolean> =>
    (await wire.rows(`select 1 from information_schema.innodb_trx where trx_mysql_thread_id = ${session}`)).length > 0;
  if (await look()) return true;
  await pause(KEPT_FOR);
  return look();
}

/** A proxy counts sessions on its own: what is told to it by our number would end another session. */
async function isReachedDirectly(wire: Wire): Promise<boolean> {
  const name = "concat('syncline session ', connection_id())";
  const [[isOurs] = []] = await wire.rows(`select get_lock(${name}, 0) = 1 and is_used_lock(${name}) = connection_id()`);
  await wire.rows(`select release_lock(${name})`);
  return isOurs === '1';
}

/** Some clusters have no such locks, and the session may be another user's. Then one waits as long as the server says. */
async function ifPossible(wire: Wire, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!wire.isOpen) throw error;
  });
}

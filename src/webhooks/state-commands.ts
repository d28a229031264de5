import { command, type Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Scope } from '../http/scopes.ts';
import { isoTime } from '../lib/clock.ts';
import { demandAll } from './access.ts';
import { counted, locked, note, type WebhookChange } from './commands.ts';
import { BY_FAILED, BY_WAITING, type CountedWebhook, type WebhookWithState } from './queries.ts';
import type { SealedSecret } from './sealed.ts';
import type { SignatureKind } from './signature.ts';

/** The reason of an endpoint that a person has paused: nobody need be told of it. */
export const PAUSED_BY_HAND = 'It was paused by hand.';

interface Asked extends WebhookChange {
  id: string;
}

interface AskedWithScopes extends Asked {
  /** What the caller may read. */
  scopes: ReadonlySet<Scope>;
}

/** Nothing is sent to it until it is resumed; what happens meanwhile follows then. */
export const pauseWebhook = command(import.meta.url, 'pauseWebhook', async (tx, input: Asked): Promise<CountedWebhook> => {
  const before = await locked(tx, input.id);
  if (before.status === 'active') {
    await tx.all(sql`
      update webhook_state set status = 'paused', reason = ${PAUSED_BY_HAND}, status_at = ${isoTime(input.now)}
      where webhook_id = ${input.id}`);
    await note(tx, input, input.id, 'webhook.paused', { name: before.name });
  }
  return counted(tx, input.id);
});

/** What waits, and what was given up since it began to fail, is due at once and follows in order. */
export const resumeWebhook = command(import.meta.url, 'resumeWebhook', async (tx, input: AskedWithScopes): Promise<CountedWebhook> => {
  const before = await locked(tx, input.id);
  demandAll(input, JSON.parse(before.scopes) as Scope[]);
  if (before.status !== 'active') {
    await makeDue(tx, before, isoTime(input.now));
    await tx.all(sql`
      update webhook_state set status = 'active', reason = null, status_at = ${isoTime(input.now)}, failures = 0, failing_since = null,
        try_at = null where webhook_id = ${input.id}`);
    await note(tx, input, input.id, 'webhook.resumed', { name: before.name });
  }
  return counted(tx, input.id);
});

async function makeDue(tx: Connection, { id, failing_since }: WebhookWithState, now: string): Promise<void> {
  await tx.all(
    sql`update webhook_deliveries ${BY_WAITING} set next_at = ${now}, attempts = 0 where webhook_id = ${id} and status = 'waiting'`,
  );
  if (failing_since === null) return;
  await tx.all(sql`
    update webhook_deliveries ${BY_FAILED} set status = 'waiting', next_at = ${now}, attempts = 0
    where webhook_id = ${id} and status = 'failed' and updated_at >= ${failing_since}`);
}

interface Rotation extends AskedWithScopes {
  signature: SignatureKind;
  stored: SealedSecret;
  overlapSeconds: number;
}

/** A new secret; those before sign along until the overlap is over. */
export const rotateWebhook = command(import.meta.url, 'rotateWebhook', async (tx, input: Rotation): Promise<CountedWebhook> => {
  const before = await locked(tx, input.id);
  demandAll(input, JSON.parse(before.scopes) as Scope[]);
  const [now, until] = [isoTime(input.now), isoTime(input.now + input.overlapSeconds * 1000)];
  const kept = (JSON.parse(before.secrets) as SealedSecret[])
    .map((secret) => ({ ...secret, expires_at: secret.expires_at !== null && secret.expires_at < until ? secret.expires_at : until }))
    .filter(({ expires_at }) => expires_at > now);
  const secrets = JSON.stringify([...kept.slice(-MOST_SECRETS), input.stored]);
  await tx.all(sql`
    update webhooks set secrets = ${secrets}, signature = ${input.signature}, version = version + 1, updated_at = ${now} where id = ${input.id}`);
  const details = { name: before.name, signature: input.signature, previous_valid_until: until };
  await note(tx, input, input.id, 'webhook.rotated', details);
  return counted(tx, input.id);
});

/** Beside the new one. A header has room for some signatures and not for any number. */
const MOST_SECRETS = 9;

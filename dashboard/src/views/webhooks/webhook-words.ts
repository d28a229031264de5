import type { Delivery, Webhook } from '../../api/resources.ts';
import { plural } from '../../parts/words/format.ts';

/** Milliseconds. Deliveries are no events, so that the stream of changes does not tell of them: while they are seen, they are asked for. */
export const LOOK_AGAIN = 5_000;

/** An active endpoint that takes nothing is not well. */
export function shownStatus({ status, failing_since }: Webhook): string {
  return status === 'active' && failing_since !== null ? 'failing' : status;
}

export const PAYLOAD_WORDS: Record<Webhook['payload'], string> = {
  full: 'Full: what has changed, as it was right after the change',
  thin: 'Thin: only the id of what has changed',
};

export const SIGNATURE_WORDS: Record<Webhook['signature'], string> = {
  symmetric: 'Symmetric: a secret that both sides know (HMAC-SHA256)',
  ed25519: 'Ed25519: the receiver needs only a public key',
};

/** What became of the last attempt, in a few words. */
export function answerWords({ attempts, response_status, error }: Pick<Delivery, 'attempts' | 'response_status' | 'error'>): string {
  if (attempts === 0) return 'not sent yet';
  if (response_status !== null) return `HTTP ${response_status}`;
  return error ?? 'no answer';
}

/** What is said of messages that are sent again. */
export function queuedWords(count: number): string {
  return count === 0 ? 'There is nothing to send again.' : `${plural(count, 'message')} will be sent again, in order.`;
}

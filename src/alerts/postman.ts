import type { Database } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { type Keyring, SecretError } from '../lib/secrets.ts';
import type { QuietHours } from './alert.ts';
import type { Sender, Sent } from './channels/send.ts';
import { type DueMessage, dueMessages, holdMessage, recordDelivered, recordUndelivered } from './outbox.ts';
import { quietUntil } from './quiet.ts';
import { openChannel } from './secrets.ts';

/** Alerts that are told at the same time. A slow one holds up nobody but itself. */
const SIDE_BY_SIDE = 16;
/** What is under way when the node stops gets so long to end, in milliseconds: it may be told twice otherwise. */
const PATIENCE = 3_000;

export interface PostmanOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
  sender: Sender;
  /** Of the duty: what is written down is written on condition of it. */
  token: number;
}

/** Brings messages to their channels. */
export interface Postman {
  /** Begins to send what is due; does not wait for it. */
  deliver(): Promise<void>;
  /** Calls back when one has been sent, or not. */
  onDone(listener: () => void): void;
  close(): Promise<void>;
}

export function createPostman({ db, clock, log, keyring, sender, token }: PostmanOptions): Postman {
  const stopping = new AbortController();
  /** By alert: each is told one thing at a time. */
  const underWay = new Map<string, Promise<void>>();
  let done: () => void = () => {};

  const send = async (message: DueMessage, now: number): Promise<void> => {
    const { id, alert_id: alertId } = message;
    const until = quietUntil(message.quiet_hours === null ? null : (JSON.parse(message.quiet_hours) as QuietHours), now);
    if (until !== undefined) {
      await db.write(holdMessage, { token, id, until });
      return;
    }
    const sent = await attempt(message, now);
    // A node that stops has not been refused: the next one tries.
    if (!sent.delivered && stopping.signal.aborted) return;
    const recording = { token, now: await databaseTime(db.read, clock()), id, alertId };
    if (sent.delivered) await db.write(recordDelivered, { ...recording, remark: sent.remark });
    else {
      const { attempts, created_at: createdAt } = message;
      await db.write(recordUndelivered, { ...recording, attempts, createdAt, error: sent.error, retryAfter: sent.retryAfter });
      if (attempts === 0)
        log.warn({ alert_id: alertId, message_id: id, reason: sent.error }, 'an alert did not get through; it is tried again');
    }
  };
  const attempt = async (message: DueMessage, now: number): Promise<Sent> => {
    const { alert_id, alert_name, channel, secrets, incident_id, ...rest } = message;
    try {
      const opened = openChannel(keyring, { id: alert_id, channel, secrets });
      const { rule, object_id, object_name, opened_at, closed_at, summary, ending, details } = rest;
      const incident = { id: incident_id, rule, object_id, object_name, opened_at, closed_at, summary, ending, details };
      const about = { id: message.id, kind: message.kind, alert: { id: alert_id, name: alert_name }, incident, at: isoTime(now) };
      return await sender.send(opened, about, stopping.signal);
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      return { delivered: false, error: `The secrets of this alert cannot be read: ${error.message}.`, retryAfter: 0 };
    }
  };

  return {
    onDone: (listener) => {
      done = listener;
    },
    deliver: async () => {
      if (stopping.signal.aborted) return;
      const room = SIDE_BY_SIDE - underWay.size;
      if (room <= 0) return;
      const now = await databaseTime(db.read, clock());
      for (const message of await dueMessages(db.read, isoTime(now), [...underWay.keys()], room)) {
        const work = send(message, now)
          .catch((error: unknown) =>
            log.warn({ err: error, message_id: message.id }, 'could not write down how a message of an alert fared'),
          )
          .finally(() => {
            underWay.delete(message.alert_id);
            done();
          });
        underWay.set(message.alert_id, work);
      }
    },
    close: async () => {
      const timer = setTimeout(() => stopping.abort(), PATIENCE);
      const all = [...underWay.values()];
      done = () => {};
      await Promise.all(all);
      clearTimeout(timer);
      stopping.abort();
    },
  };
}

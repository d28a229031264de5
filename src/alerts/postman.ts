import type { Database } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { type Keyring, SecretError } from '../lib/secrets.ts';
import type { QuietHours } from './alert.ts';
import type { Sender, Sent } from './channels/send.ts';
import { type DueAlert, dueAlerts, dueMessage, type DueMessage, holdMessages, recordDelivered, recordUndelivered } from './outbox.ts';
import { SendingPlaces } from './sending-places.ts';
import { quietUntil } from './quiet.ts';
import { openChannel } from './secrets.ts';

/** A turn that takes longer makes room for others, in milliseconds. */
const SLOW = 2_000;
/** An alert is told so many messages before others have their turn. */
const IN_A_ROW = 20;
/** Alerts that are looked up at once. */
const MOST = 1_000;
/** An alert that did not take a message is left alone for so long, in milliseconds, unless it is changed: what else it is to be told can hardly get through. */
const REST = 5_000;
/** So long, when what is due waits for something before it. */
const BREATH = 1_000;
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
  /** Outlives the duty: when this node has it again, it knows what it has sent. */
  unrecorded: Unrecorded;
  /** How long an alert is left alone after a failure, in milliseconds. */
  rest?: number;
}

/** By alert: how the last try ended, while that is not written down. Until it is, the alert is told nothing: it would be told the same once more. */
export type Unrecorded = Map<string, { readonly alert: DueAlert; readonly message: DueMessage; readonly sent: Sent; readonly at: number }>;

/** Brings messages to their channels. */
export interface Postman {
  /** Begins to send what is due; does not wait for it. */
  deliver(): Promise<void>;
  /** Calls back when there may be more to send, and room for it. */
  onDone(listener: () => void): void;
  close(): Promise<void>;
}

export function createPostman({ db, clock, log, keyring, sender, token, unrecorded, rest = REST }: PostmanOptions): Postman {
  const stopping = new AbortController();
  const places = new SendingPlaces();
  /** By alert: each is told one thing at a time. */
  const underWay = new Map<string, Promise<void>>();
  /** Alerts that rest, until when. */
  const resting = new Map<string, { readonly version: number; readonly until: number }>();
  /** Those that were found to have something due, and have not had their turn. */
  let queue: DueAlert[] = [];
  let done: () => void = () => {};

  /** Tells an alert what is due, one after the other. */
  const tell = async (alert: DueAlert): Promise<void> => {
    if (!(await record(alert.id))) return;
    for (let told = 0; told < IN_A_ROW && !stopping.signal.aborted; told++) {
      const now = await databaseTime(db.read, clock());
      // Looked up one by one: meanwhile a person may have changed the alert, or what it was to be told is over.
      const message = await dueMessage(db.read, isoTime(now), alert.id);
      if (message && (await send(alert, message, now))) continue;
      if (message || told === 0) resting.set(alert.id, { version: alert.version, until: performance.now() + (message ? rest : BREATH) });
      return;
    }
  };
  /** Answers whether it got through. */
  const send = async (alert: DueAlert, message: DueMessage, now: number): Promise<boolean> => {
    const until = quietUntil(message.quiet_hours === null ? null : (JSON.parse(message.quiet_hours) as QuietHours), now);
    if (until !== undefined) {
      await db.write(holdMessages, { token, alertId: alert.id, until });
      return false;
    }
    const from = performance.now();
    const sent = await attempt(message, now);
    // A node that stops has not been refused: the next one tries.
    if (!sent.delivered && stopping.signal.aborted) return false;
    // Kept before anything is asked of the database, which may be gone by now.
    unrecorded.set(alert.id, { alert, message, sent, at: Math.round(now + performance.now() - from) });
    if (!sent.delivered && message.attempts === 0)
      log.warn({ alert_id: alert.id, message_id: message.id, reason: sent.error }, 'an alert did not get through; it is tried again');
    return (await record(alert.id)) && sent.delivered;
  };
  /** Writes down how the last try ended. False: another node has the duty now. */
  const record = async (alertId: string): Promise<boolean> => {
    const kept = unrecorded.get(alertId);
    if (!kept) return true;
    const { message, sent, at: now } = kept;
    const recording = { token, now, id: message.id, alertId, attempts: message.attempts };
    const isRecorded = sent.delivered
      ? await db.write(recordDelivered, { ...recording, remark: sent.remark })
      : await db.write(recordUndelivered, { ...recording, createdAt: message.created_at, error: sent.error, retryAfter: sent.retryAfter });
    if (isRecorded) unrecorded.delete(alertId);
    return isRecorded;
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

  /** Gives free places to those who wait for one. */
  const fill = (): void => {
    if (stopping.signal.aborted) return;
    queue = queue.filter((alert) => !begin(alert));
  };
  const begin = (alert: DueAlert): boolean => {
    if (underWay.has(alert.id)) return true;
    const place = places.take(alert.owner, alert.error !== null);
    if (!place) return false;
    const slow = setTimeout(() => {
      place.isSlow = true;
      fill();
    }, SLOW);
    const work = tell(alert)
      .then(
        () => true,
        (error: unknown) => {
          log.warn(
            { err: error, alert_id: alert.id },
            'could not write down how a message of an alert fared; this is tried until it works',
          );
          resting.set(alert.id, { version: alert.version, until: performance.now() + rest });
          return false;
        },
      )
      .then((isWell) => {
        clearTimeout(slow);
        places.giveBack(place);
        underWay.delete(alert.id);
        fill();
        // Where the database fails, to ask it again at once would go round and round.
        if (isWell && queue.length === 0) done();
      });
    underWay.set(alert.id, work);
    return true;
  };

  return {
    onDone: (listener) => {
      done = listener;
    },
    deliver: async () => {
      if (stopping.signal.aborted) return;
      const now = await databaseTime(db.read, clock());
      for (const [id, { until }] of resting) if (until <= performance.now()) resting.delete(id);
      const due = await dueAlerts(db.read, isoTime(now), [...underWay.keys()], MOST);
      const found = new Set(due.map(({ id }) => id));
      // What was sent is written down also when nothing is due any more.
      const left = [...unrecorded.values()].flatMap(({ alert }) => (found.has(alert.id) || underWay.has(alert.id) ? [] : [alert]));
      queue = [...left, ...due].filter(({ id, version }) => resting.get(id)?.version !== version);
      fill();
    },
    close: async () => {
      const timer = setTimeout(() => stopping.abort(), PATIENCE);
      const all = [...underWay.values()];
      queue = [];
      done = () => {};
      await Promise.all(all);
      clearTimeout(timer);
      stopping.abort();
    },
  };
}

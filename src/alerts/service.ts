import { shareOf } from '../datasync/access/share.ts';
import type { Database } from '../db/database.ts';
import type { Caller } from '../http/caller.ts';
import type { Principal } from '../http/scopes.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import { AppError, invalidParams, notFound, unavailable } from '../lib/errors.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/log.ts';
import { type Keyring, keyIdOf, SecretError } from '../lib/secrets.ts';
import { newSigningSecret } from '../webhooks/signature.ts';
import { demandRules, heardBy } from './access.ts';
import type { AlertChannel, Rule } from './alert.ts';
import { channelFaults, completeChannel, completeQuiet, completeRule, ruleFaults, timingFaults } from './check.ts';
import type { Sender, Sent } from './channels/send.ts';
import { type AlertToCreate, type AlertUpdate, createAlert, replaceAlertSecrets, updateAlert } from './commands.ts';
import { type AlertRow, type AlertView, allAlerts, findAlert, knownSyncs } from './queries.ts';
import type { ChangedAlert, NewAlert, RuleInput } from './schemas.ts';
import { MASK, openChannel, openSecrets, sealChannel } from './secrets.ts';

/** An alert that was saved, with the secret that was made for it. */
interface SavedAlert {
  row: AlertView;
  secret: string | null;
}

export interface AlertService {
  create(caller: Caller, input: NewAlert): Promise<SavedAlert>;
  update(caller: Caller, id: string, change: ChangedAlert): Promise<SavedAlert>;
  /**
   * What `create` and `update` would write, for a caller that writes it together with more. Whether the synchronizations are there is not
   * looked at: they may be part of the same.
   */
  prepare(caller: Caller, input: NewAlert): { alert: AlertToCreate; secret: string | null };
  prepareUpdate(caller: Caller, before: AlertRow, change: ChangedAlert): { update: AlertUpdate; secret: string | null };
  /** The channel with its secrets: never to be logged, stored or shown. */
  openChannel(row: AlertRow): AlertChannel;
  /** Sends a message that says that it is a test, now, whatever the hour. */
  test(caller: Caller, id: string): Promise<Sent>;
  /** An alert, for a caller that may hear of all that it tells. */
  readable(caller: Principal, id: string): Promise<AlertView>;
  /** Encrypts anew what was encrypted with a key that is no longer the first. */
  renewSecrets(): Promise<void>;
}

interface Options {
  db: Database;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
  sender: Sender;
  /** How many alerts one key may have. */
  mostPerKey: number;
}

/** How long a test waits for its turn, in milliseconds. */
const PATIENCE = 5_000;

export function createAlertService({ db, clock, log, keyring, sender, mostPerKey }: Options): AlertService {
  // Channels that never answer hold a few places each for half a minute, and never all of one key's or of all.
  const tests = new FairQueue({ places: 16, perOwner: 4, reserved: 2, waiting: 32 });
  const stored = async (id: string): Promise<AlertView> => {
    const row = await findAlert(db.read, id);
    if (!row) throw notFound('alert', id);
    return row;
  };
  const readable = async (caller: Principal, id: string): Promise<AlertView> => {
    const row = await stored(id);
    demandRules(caller, rulesOf(row), row.sync_ids !== null);
    return row;
  };
  const demandSyncs = async (ids: readonly string[]): Promise<void> => {
    const known = await knownSyncs(db.read, ids);
    const faults = ids.flatMap((id, at) =>
      known.has(id)
        ? []
        : [{ field: `sync_ids[${at}]`, reason: 'is no synchronization that there is; GET /datasync/sync?status=all lists them' }],
    );
    if (faults.length > 0) throw invalidParams(faults);
  };
  const prepare: AlertService['prepare'] = (caller, input) => {
    demandForm(input);
    const rules = input.rules.map((rule) => completeRule(rule));
    demandRules(caller, rules, (input.sync_ids ?? null) !== null);
    const { id, time } = newId('alt', clock());
    const made = newSigningSecret('symmetric');
    const channel = completeChannel(input.channel, made);
    const { shown, secrets } = sealChannel(keyring, id, channel, () => ({}));
    const alert = {
      actor: caller.actor(),
      share: shareOf(caller.id, caller),
      most: mostPerKey,
      now: time,
      id,
      name: input.name,
      channel_type: channel.type,
      channel: shown,
      secrets,
      rules: JSON.stringify(rules),
      sync_ids: jsonOrNull(input.sync_ids),
      remind_every: input.remind_every ?? null,
      quiet_hours: input.quiet_hours ? JSON.stringify(completeQuiet(input.quiet_hours)) : null,
      scopes: scopesOf(caller),
    };
    return { alert, secret: channel.type === 'webhook' && channel.secret === made ? made : null };
  };
  const prepareUpdate: AlertService['prepareUpdate'] = (caller, before, change) => {
    demandRules(caller, rulesOf(before), before.sync_ids !== null);
    demandForm(change);
    const rules = change.rules?.map((rule) => completeRule(rule));
    if (rules || change.sync_ids) demandRules(caller, rules ?? [], (change.sync_ids ?? null) !== null);
    const made = newSigningSecret('symmetric');
    const kept = before.channel_type === 'webhook' ? MASK : made;
    const channel = change.channel && completeChannel(change.channel, kept);
    // A mask stands for a secret of the same kind of channel: that of another one would be sent elsewhere.
    const known = () => (channel?.type === before.channel_type ? openKnown(keyring, before) : {});
    const sealed = channel && sealChannel(keyring, before.id, channel, known);
    const update = {
      actor: caller.actor(),
      now: clock(),
      id: before.id,
      version: before.version,
      name: change.name ?? before.name,
      channel_type: channel?.type ?? before.channel_type,
      channel: sealed?.shown ?? before.channel,
      secrets: sealed?.secrets ?? before.secrets,
      rules: rules ? JSON.stringify(rules) : before.rules,
      sync_ids: change.sync_ids === undefined ? before.sync_ids : jsonOrNull(change.sync_ids),
      remind_every: change.remind_every === undefined ? before.remind_every : change.remind_every,
      quiet_hours:
        change.quiet_hours === undefined ? before.quiet_hours : change.quiet_hours && JSON.stringify(completeQuiet(change.quiet_hours)),
      scopes: scopesOf(caller),
      fields: Object.keys(change),
      hears: heardBy(caller),
    };
    return { update, secret: channel?.type === 'webhook' && channel.secret === made ? made : null };
  };

  return {
    readable,
    prepare,
    prepareUpdate,
    openChannel: (row) => openKnownChannel(keyring, row),
    create: async (caller, input) => {
      const { alert, secret } = prepare(caller, input);
      if (input.sync_ids) await demandSyncs(input.sync_ids);
      return { row: await db.write(createAlert, alert), secret };
    },
    update: async (caller, id, change) => {
      // Between reading and writing another request may have changed it; then we look again.
      for (;;) {
        const before = await stored(id);
        const { update, secret } = prepareUpdate(caller, before, change);
        if (change.sync_ids) await demandSyncs(change.sync_ids);
        const row = await db.write(updateAlert, update);
        if (row) return { row, secret };
      }
    },
    test: async (caller, id) => {
      const row = await readable(caller, id);
      const now = clock();
      const message = { id: newId('msg', now).id, kind: 'test', alert: { id, name: row.name }, incident: null, at: isoTime(now) } as const;
      const channel = openKnownChannel(keyring, row);
      const leave = await tests.take({ owner: caller.id, isPrivileged: caller.scopes.has('admin') }, performance.now() + PATIENCE);
      if (!leave) throw unavailable('Too many alerts are being tested at the same time, by this key or by all');
      try {
        return await sender.send(channel, message, new AbortController().signal);
      } finally {
        leave();
      }
    },
    renewSecrets: async () => {
      for (const row of await allAlerts(db.read)) {
        if (keyIdOf(row.secrets) === keyring.current) continue;
        try {
          const secrets = keyring.encrypt(JSON.stringify(openSecrets(keyring, row)), row.id);
          await db.write(replaceAlertSecrets, { id: row.id, version: row.version, secrets });
          log.info({ alert_id: row.id }, 'encrypted the secrets of an alert with the new key');
        } catch (error) {
          if (!(error instanceof SecretError)) throw error;
          log.warn(
            { alert_id: row.id, reason: error.message },
            'the secrets of an alert cannot be read; add the key to SYNCLINE_SECRET_KEY',
          );
        }
      }
    },
  };
}

/** Faults that can be seen without looking anything up. */
function demandForm(input: ChangedAlert): void {
  const faults = [
    ...(input.channel ? channelFaults(input.channel, MASK) : []),
    ...(input.rules ? ruleFaults(input.rules satisfies readonly RuleInput[]) : []),
    ...timingFaults(input),
  ];
  if (faults.length > 0) throw invalidParams(faults);
}

function rulesOf({ rules }: Pick<AlertRow, 'rules'>): Rule[] {
  return JSON.parse(rules) as Rule[];
}

function scopesOf({ scopes }: Principal): string {
  return JSON.stringify([...scopes].sort());
}

function jsonOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function openKnown(keyring: Keyring, row: AlertRow): ReturnType<typeof openSecrets> {
  return readably(row, () => openSecrets(keyring, row));
}

function openKnownChannel(keyring: Keyring, row: AlertRow): ReturnType<typeof openChannel> {
  return readably(row, () => openChannel(keyring, row));
}

function readably<Opened>(row: AlertRow, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw new AppError('CONFLICT', `The secrets of the alert "${row.name}" cannot be read: ${error.message}.`, {
      field: 'channel',
      reason: 'add that key to SYNCLINE_SECRET_KEY, or save the alert again with its secrets',
    });
  }
}

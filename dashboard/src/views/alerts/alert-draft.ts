import type { Input } from '../../api/client.ts';
import type { AlertEntry } from '../../api/resources.ts';
import { MASK } from '../../parts/form/mask.ts';
import type { ChannelType } from './channels.ts';
import { type Rule, RULES } from './rules.ts';

type QuietHours = NonNullable<AlertEntry['quiet_hours']>;

/** An alert as it is being written. */
export interface AlertDraft {
  name: string;
  type: ChannelType;
  /** The address of the mail server or of the chat; the mask stands for one that is stored. */
  address: string | undefined;
  from: string;
  to: readonly string[];
  /** Of a mail server whose certificate no public authority has signed. */
  ca: string;
  /** What signs the messages of a webhook. */
  secret: string | undefined;
  rules: readonly Rule[];
  /** Null: all of them. */
  syncIds: readonly string[] | null;
  /** Empty: never. */
  remindEvery: string;
  quietHours: QuietHours | null;
}

export function emptyDraft(type: ChannelType): AlertDraft {
  return {
    name: '',
    type,
    address: undefined,
    from: '',
    to: [],
    ca: '',
    secret: undefined,
    rules: [{ type: 'failing', runs: 1 }, { type: 'needs_approval' }, { type: 'late' }],
    syncIds: null,
    remindEvery: '',
    quietHours: null,
  };
}

export function draftOf({ name, channel, rules, sync_ids, remind_every, quiet_hours }: AlertEntry): AlertDraft {
  const isMail = channel.type === 'email';
  return {
    name,
    type: channel.type,
    address: isMail ? channel.smtp_url : channel.url,
    from: isMail ? channel.from : '',
    to: isMail ? channel.to : [],
    ca: isMail ? (channel.ca ?? '') : '',
    secret: channel.type === 'webhook' ? channel.secret : undefined,
    rules,
    syncIds: sync_ids,
    remindEvery: remind_every ?? '',
    quietHours: quiet_hours,
  };
}

/** What may be kept of it in this tab. */
export function withoutSecret(draft: AlertDraft): AlertDraft {
  const kept = (secret: string | undefined): string | undefined => (secret === MASK ? MASK : undefined);
  return { ...draft, address: kept(draft.address), secret: kept(draft.secret) };
}

export function alertInput(draft: AlertDraft) {
  return {
    name: draft.name.trim(),
    channel: channelInput(draft),
    rules: [...draft.rules],
    // What is about no synchronization needs none.
    sync_ids: draft.syncIds === null || !draft.rules.some(({ type }) => RULES[type].ofSyncs) ? null : [...draft.syncIds],
    remind_every: draft.remindEvery === '' ? null : draft.remindEvery,
    quiet_hours: draft.quietHours,
  };
}

function channelInput({ type, address = '', from, to, ca, secret }: AlertDraft): Input<'POST /api/v1/alerts'>['body']['channel'] {
  if (type === 'email')
    return { type, smtp_url: address.trim(), from: from.trim(), to: [...to], ca: ca.trim() === '' ? null : `${ca.trim()}\n` };
  if (type === 'webhook') return { type, url: address.trim(), ...(secret !== undefined && { secret }) };
  return { type, url: address.trim() };
}

/** What is mandatory and empty. */
export function missingIn(draft: AlertDraft): string[] {
  const isMail = draft.type === 'email';
  return [
    ...(draft.name.trim() === '' ? ['name'] : []),
    ...(draft.address === undefined ? [isMail ? 'channel.smtp_url' : 'channel.url'] : []),
    ...(isMail && draft.from.trim() === '' ? ['channel.from'] : []),
    ...(isMail && draft.to.length === 0 ? ['channel.to'] : []),
    ...(draft.rules.length === 0 ? ['rules'] : []),
    ...(draft.syncIds?.length === 0 ? ['sync_ids'] : []),
  ];
}

const PLACES: Readonly<Record<string, string>> = {
  'channel.smtp_url': 'Mail server',
  'channel.url': 'URL',
  'channel.from': 'From',
  'channel.to': 'To',
  'channel.ca': 'Authority',
  'channel.secret': 'Signing secret',
  rules: 'Rules',
  sync_ids: 'Synchronizations',
  remind_every: 'Reminders',
  quiet_hours: 'Quiet hours',
};

/** The names that the form has for its fields. */
export function alertPlace(path: string): string {
  const [, place] = /^(channel\.to|rules|sync_ids|quiet_hours)[.[]/.exec(path) ?? [];
  return PLACES[path] ?? PLACES[place ?? ''] ?? path.charAt(0).toUpperCase() + path.slice(1).replaceAll('_', ' ');
}

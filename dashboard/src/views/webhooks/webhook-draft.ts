import type { Input } from '../../api/client.ts';
import type { Webhook } from '../../api/resources.ts';
import { MASK } from '../../parts/form/mask.ts';

export interface HeaderDraft {
  name: string;
  /** The mask stands for a value that is stored. */
  value: string;
}

/** A webhook as it is being written. */
export interface WebhookDraft {
  name: string;
  url: string;
  types: readonly string[];
  condition: string;
  payload: Webhook['payload'];
  signature: Webhook['signature'];
  headers: readonly HeaderDraft[];
  maxInFlight: number | string;
  /** Empty: no limit. */
  rate: number | string;
  /** Where a new one begins. */
  from: 'now' | 'start';
}

export const EMPTY: WebhookDraft = {
  name: '',
  url: '',
  types: ['*'],
  condition: '',
  payload: 'full',
  signature: 'symmetric',
  headers: [],
  maxInFlight: 8,
  rate: '',
  from: 'now',
};

export function draftOf(webhook: Webhook): WebhookDraft {
  return {
    name: webhook.name,
    url: webhook.url,
    types: webhook.types,
    condition: webhook.condition ?? '',
    payload: webhook.payload,
    signature: webhook.signature,
    headers: Object.keys(webhook.headers).map((name) => ({ name, value: MASK })),
    maxInFlight: webhook.max_in_flight,
    rate: webhook.rate ?? '',
    from: 'now',
  };
}

/** What may be kept of it in this tab: values of headers are secrets, and an address may hold one. */
export function withoutSecrets(draft: WebhookDraft): WebhookDraft {
  return { ...draft, headers: draft.headers.map(({ name, value }) => ({ name, value: value === MASK ? MASK : '' })) };
}

type Changeable = Required<Omit<Input<'POST /api/v1/webhooks'>['body'], 'from' | 'signature'>>;

/** What the service takes, both when it is made and when it is changed. */
export function webhookInput(draft: WebhookDraft): Changeable {
  return {
    name: draft.name.trim(),
    url: draft.url.trim(),
    types: [...draft.types],
    condition: draft.condition.trim() === '' ? null : draft.condition.trim(),
    payload: draft.payload,
    headers: Object.fromEntries(draft.headers.map(({ name, value }) => [name.trim(), value])),
    max_in_flight: Number(draft.maxInFlight),
    rate: draft.rate === '' ? null : Number(draft.rate),
  };
}

/** What is mandatory and empty. */
export function missingIn(draft: WebhookDraft): string[] {
  return [
    ...(draft.name.trim() === '' ? ['name'] : []),
    ...(draft.url.trim() === '' ? ['url'] : []),
    ...(draft.types.length === 0 ? ['types'] : []),
    ...(draft.maxInFlight === '' ? ['max_in_flight'] : []),
    ...draft.headers.flatMap(({ name, value }) => [
      ...(name.trim() === '' ? [`headers[].name`] : []),
      ...(value === '' ? [`headers.${name.trim()}`] : []),
    ]),
  ];
}

const PLACES: Readonly<Record<string, string>> = {
  url: 'URL',
  types: 'Events',
  max_in_flight: 'At the same time',
  rate: 'At most per second',
  'headers[].name': 'A header, its name',
};

/** The names that the form has for its fields. */
export function webhookPlace(path: string): string {
  const header = /^headers\.(.*)$/.exec(path)?.[1];
  if (header !== undefined) return `Header ${header}`;
  const type = /^types\[(\d+)\]$/.exec(path)?.[1];
  if (type !== undefined) return `Events, entry ${Number(type) + 1}`;
  return PLACES[path] ?? path.charAt(0).toUpperCase() + path.slice(1).replaceAll('_', ' ');
}

import { formatMinute } from '../../parts/words/format.ts';

/** As the interface writes times. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NOUNS: Record<string, string> = { sync: 'synchronization' };
/** What is not said by its noun and its verb alone. */
const WORDS: Record<string, string> = {
  'source.sampled': 'Sample rows read',
  'orders.exported': 'Whole orders read',
  'session.created': 'Signed in',
  'session.ended': 'Signed out',
  'session.ended_all': 'Signed out everywhere',
  'key.refused': 'Many wrong keys',
  'hook.calls_read': 'Calls of a hook read',
  'webhook.delivery_read': 'Deliveries of a webhook read',
};
/** What there is to be found, as the filter offers it; the interface may know more. */
export const ACTIONS = [
  'key.created',
  'key.changed',
  'key.rotated',
  'key.revoked',
  'key.refused',
  'session.created',
  'session.ended',
  'session.ended_all',
  'config.applied',
  'source.created',
  'source.updated',
  'source.deleted',
  'source.sampled',
  'sync.created',
  'sync.updated',
  'sync.deleted',
  'sync.paused',
  'sync.resumed',
  'sync.reset',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.paused',
  'webhook.resumed',
  'webhook.rotated',
  'webhook.replayed',
  'webhook.delivery_read',
  'hook.created',
  'hook.updated',
  'hook.deleted',
  'hook.calls_read',
  'alert.created',
  'alert.updated',
  'alert.deleted',
  'run.started',
  'run.cancelled',
  'run.approved',
  'rejects.read',
  'orders.exported',
  'backup.started',
  'backup.restored',
] as const;
/** The views where things are seen, by the beginnings of their ids. */
const PLACES: Record<string, string> = { src: '/sources', syn: '/syncs', run: '/runs', whk: '/webhooks', hok: '/hooks', alt: '/alerts' };

/** `key.created` → `Key created`. An action of a later version is said the same way. */
export function actionWords(action: string): string {
  const [noun = '', verb = ''] = action.split('.');
  const known = WORDS[action];
  if (known !== undefined) return known;
  const words = `${NOUNS[noun] ?? noun} ${verb.replaceAll('_', ' ')}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Where to see what was changed; nowhere when it was deleted or has no page. */
export function hrefOf(action: string, objectId: string): string | undefined {
  const place = PLACES[objectId.slice(0, 3)];
  return place === undefined || action.endsWith('.deleted') ? undefined : `${place}/${objectId}`;
}

/** The details in a line, without the name, which is shown already. */
export function detailWords(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .filter(([member, value]) => member !== 'name' && value !== null)
    .map(([member, value]) => `${member.replaceAll('_', ' ')}: ${said(value)}`)
    .join(' · ');
}

function said(value: unknown): string {
  if (Array.isArray(value)) return value.map(said).join(', ');
  if (typeof value !== 'string') return JSON.stringify(value);
  // A time is told by the reader's clock, as all others are.
  return TIME.test(value) ? formatMinute(value) : value;
}

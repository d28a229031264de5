import { visible } from '../../lib/check.ts';
import type { MessageKind, RuleType } from '../alert.ts';
import type { IncidentRow } from '../queries.ts';

// What a message says, before a channel gives it its own shape. Pure. Names and errors come from outside: they are made harmless for a
// line of text here, and for markup where the markup is.

/** One message of an alert, as it is handed to a channel. */
export interface AlertMessage {
  readonly id: string;
  readonly kind: MessageKind | 'test';
  readonly alert: { readonly id: string; readonly name: string };
  /** None of a test. */
  readonly incident: IncidentRow | null;
  /** When it is sent. */
  readonly at: string;
}

export interface Telling {
  /** One line that says it all. */
  readonly headline: string;
  /** What happened, in sentences. */
  readonly text: string;
  /** Further lines, each with what it is about. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** Where to look. */
  readonly link: string | null;
  readonly mood: 'bad' | 'good' | 'neutral';
}

const MAX_HEADLINE = 140;
const MAX_TEXT = 1500;
const MAX_NAME = 100;

/** What each rule is called in the headline. */
const TITLES: Readonly<Record<RuleType, string>> = {
  failing: 'failing',
  needs_approval: 'needs approval',
  rejects: 'rejected rows',
  differs: 'target and source differ',
  late: 'late',
  lag: 'lagging',
  schema_changed: 'fields have changed',
  endpoint_paused: 'endpoint paused',
  disk_full: 'disk nearly full',
  key_expires: 'key expires',
};

const OBJECTS: Readonly<Record<RuleType, string>> = {
  failing: 'Synchronization',
  needs_approval: 'Synchronization',
  rejects: 'Synchronization',
  differs: 'Synchronization',
  late: 'Synchronization',
  lag: 'Synchronization',
  schema_changed: 'Synchronization',
  endpoint_paused: 'Webhook',
  disk_full: 'Machine',
  key_expires: 'API key',
};

export function tellingOf({ kind, alert, incident, at }: AlertMessage, publicUrl: string | undefined): Telling {
  if (!incident) {
    const text = `This is a test of the alert "${short(alert.name, MAX_NAME)}" of Syncline. Its messages arrive here.`;
    return { headline: 'Test of an alert', text, facts: [], link: publicUrl === undefined ? null : `${publicUrl}/alerts`, mood: 'neutral' };
  }
  const { rule, object_id, opened_at, closed_at, summary, ending } = incident;
  const name = short(incident.object_name, MAX_NAME);
  const isOver = kind === 'closed';
  const words = { opened: TITLES[rule], reminder: `still ${TITLES[rule]}`, closed: `over: ${TITLES[rule]}` }[kind as MessageKind];
  const since = `${minute(opened_at)}${isOver ? '' : `, for ${span(Date.parse(at) - Date.parse(opened_at))}`}`;
  const link = publicUrl === undefined ? null : publicUrl + pathOf(incident);
  return {
    headline: short(`${name}: ${words}`, MAX_HEADLINE),
    text: short(isOver ? `${ending ?? 'It is over.'} What was wrong: ${summary}` : summary, MAX_TEXT),
    facts: [
      { label: OBJECTS[rule], value: name === object_id ? name : `${name} (${object_id})` },
      isOver
        ? {
            label: 'From',
            value: `${minute(opened_at)} to ${minute(closed_at ?? at)}, ${span(Date.parse(closed_at ?? at) - Date.parse(opened_at))}`,
          }
        : { label: 'Since', value: since },
      ...(link === null ? [{ label: 'Look', value: commandOf(incident) }] : []),
    ],
    link,
    mood: isOver ? 'good' : 'bad',
  };
}

/** The page that helps. */
function pathOf({ rule, object_id, details }: IncidentRow): string {
  const id = encodeURIComponent(object_id);
  switch (rule) {
    case 'needs_approval': {
      const { run_id } = JSON.parse(details) as { run_id?: string };
      return run_id === undefined ? `/syncs/${id}` : `/runs/${encodeURIComponent(run_id)}`;
    }
    case 'endpoint_paused':
      return `/webhooks/${id}`;
    case 'disk_full':
      return '/nodes';
    case 'key_expires':
      return '/keys';
    default:
      return `/syncs/${id}`;
  }
}

/** How to look without the page, when nobody has said where it is. */
function commandOf({ rule, object_id }: IncidentRow): string {
  switch (rule) {
    case 'endpoint_paused':
      return 'syncline webhooks list';
    case 'disk_full':
      return 'syncline nodes';
    case 'key_expires':
      return 'syncline keys list';
    default:
      return `syncline syncs show ${object_id}`;
  }
}

function minute(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

/** How long something has been going on, as people say it. */
function span(milliseconds: number): string {
  const minutes = Math.floor(Math.max(0, milliseconds) / 60_000);
  if (minutes < 1) return 'less than a minute';
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60)];
  if (days >= 2) return `${days} days`;
  if (hours >= 2) return `${hours} hours`;
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/** Text on one line and within bounds, whatever it was. */
export function short(text: string, most: number): string {
  const line = visible(text.replaceAll(/[\s\u2028\u2029]+/gu, ' ')).trim();
  const points = Array.from(line.length > most ? line.slice(0, 2 * most) : line);
  return points.length <= most ? line : `${points.slice(0, most - 1).join('')}…`;
}

/** The whole of it as plain text, for where there is no markup. */
export function plainText({ headline, text, facts, link }: Telling): string {
  return [
    headline,
    '',
    text,
    '',
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    ...(link === null ? [] : [`Look: ${link}`]),
  ].join('\n');
}

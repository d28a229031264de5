import type { AlertEntry, Incident, Scope } from '../../api/resources.ts';
import { formatDuration, plural } from '../../parts/words/format.ts';

export type Rule = AlertEntry['rules'][number];
type RuleType = Rule['type'];

/** A number that says from when on a rule counts. */
interface Threshold {
  member: string;
  label: string;
  /** As it stands behind the number in the field. */
  suffix: string;
  /** In the unit of the interface, which is `factor` times smaller than that of the field. */
  initial: number;
  factor: number;
  min: number;
  max: number;
  words: (count: number) => string;
}

interface RuleWords {
  title: string;
  about: string;
  /** What a key must have besides `webhooks` to be told of it. */
  scope: Scope | undefined;
  /** Whether it is about synchronizations, which can be chosen. */
  ofSyncs: boolean;
  threshold?: Threshold;
}

/** What an alert can tell of, in words. */
export const RULES: Record<RuleType, RuleWords> = {
  failing: {
    title: 'Failing',
    about: 'Runs of a synchronization fail.',
    scope: 'datasync:read',
    ofSyncs: true,
    threshold: {
      member: 'runs',
      label: 'Failed runs in a row',
      suffix: '',
      initial: 1,
      factor: 1,
      min: 1,
      max: 10,
      words: (count) => `after ${plural(count, 'failed run')}`,
    },
  },
  needs_approval: {
    title: 'Needs approval',
    about: 'A run was stopped by the guard and waits for you.',
    scope: 'datasync:read',
    ofSyncs: true,
  },
  differs: {
    title: 'Target and source differ',
    about: 'A verify has found rows that differ.',
    scope: 'datasync:read',
    ofSyncs: true,
  },
  rejects: {
    title: 'Rejected rows',
    about: 'Rows are rejected and nobody has dealt with them.',
    scope: 'datasync:read',
    ofSyncs: true,
    threshold: {
      member: 'over',
      label: 'More than',
      suffix: ' rows',
      initial: 0,
      factor: 1,
      min: 0,
      max: 10_000,
      words: (count) => `more than ${count}`,
    },
  },
  late: {
    title: 'Late',
    about: 'No run has succeeded within the time that the synchronization expects one ("Expect a run every").',
    scope: 'datasync:read',
    ofSyncs: true,
  },
  lag: {
    title: 'Lag',
    about: 'The last successful run began too long ago.',
    scope: 'datasync:read',
    ofSyncs: true,
    threshold: {
      member: 'seconds',
      label: 'Longer ago than',
      suffix: ' min',
      initial: 3600,
      factor: 60,
      min: 1,
      max: 31_622_400,
      words: (count) => `beyond ${formatDuration(count * 1000)}`,
    },
  },
  schema_changed: {
    title: 'Schema changed',
    about: 'A run has noticed that fields of the source are others.',
    scope: 'datasync:read',
    ofSyncs: true,
  },
  endpoint_paused: {
    title: 'Webhook paused',
    about: 'A webhook has failed for five days, or its receiver is gone for good.',
    scope: undefined,
    ofSyncs: false,
  },
  disk_full: {
    title: 'Disk nearly full',
    about: 'The disk that Syncline keeps its data on has little room.',
    scope: 'admin',
    ofSyncs: false,
    threshold: {
      member: 'free_percent',
      label: 'Less free than',
      suffix: ' %',
      initial: 10,
      factor: 1,
      min: 1,
      max: 50,
      words: (count) => `less than ${count}% free`,
    },
  },
  key_expires: {
    title: 'Key about to expire',
    about: 'An API key ends soon.',
    scope: 'admin',
    ofSyncs: false,
    threshold: {
      member: 'days',
      label: 'Within',
      suffix: ' days',
      initial: 14,
      factor: 1,
      min: 1,
      max: 365,
      words: (count) => `within ${plural(count, 'day')}`,
    },
  },
};

export const RULE_TYPES = Object.keys(RULES) as RuleType[];

/** The title of a rule; one of a later version is called by its own name. */
export function ruleTitle(type: string): string {
  return (RULES as Record<string, RuleWords>)[type]?.title ?? type.replaceAll('_', ' ');
}

/** A rule with its threshold: `Rejected rows (more than 100)`. */
export function ruleWords(rule: Rule): string {
  const threshold = (RULES as Record<string, RuleWords>)[rule.type]?.threshold;
  const value = threshold && (rule as Record<string, unknown>)[threshold.member];
  return threshold && typeof value === 'number' ? `${ruleTitle(rule.type)} (${threshold.words(value)})` : ruleTitle(rule.type);
}

/** The views where things are seen, by the beginnings of their ids. */
const PLACES: Readonly<Record<string, (id: string) => string>> = {
  syn: (id) => `/syncs/${id}`,
  whk: (id) => `/webhooks/${id}`,
  key: () => '/keys',
};

/** The page that helps with an incident: what it is about, or the run that waits. */
export function placeOf({ rule, object_id, details }: Incident): string | undefined {
  if (rule === 'disk_full') return '/nodes';
  if (rule === 'needs_approval' && typeof details['run_id'] === 'string') return `/runs/${details['run_id']}`;
  return PLACES[object_id.slice(0, 3)]?.(object_id);
}

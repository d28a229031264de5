import { type AlertRules, isOfSyncs, type Rule, type RuleType } from './alert.ts';

/** Something that is wrong at this moment. */
export interface Finding {
  readonly rule: RuleType;
  readonly objectId: string;
  readonly objectName: string;
  /** How wrong, in the measure of the rule: failed runs, rejected rows, seconds, percent that are free, days that are left; 0 where there is none. */
  readonly level: number;
  /** Of a key: the days from its making to its end. */
  readonly lifetime?: number;
  /** When it began, where that is known; else it is now. */
  readonly since?: string;
  /** In words, without anything that changes while nothing happens. */
  readonly summary: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** From where on something is an incident whatever alerts say of it. Lag is none: who has not asked has no measure for it. */
const DEFAULTS: Readonly<Partial<Record<RuleType, Rule>>> = {
  failing: { type: 'failing', runs: 1 },
  needs_approval: { type: 'needs_approval' },
  rejects: { type: 'rejects', over: 0 },
  differs: { type: 'differs' },
  late: { type: 'late' },
  schema_changed: { type: 'schema_changed' },
  endpoint_paused: { type: 'endpoint_paused' },
  disk_full: { type: 'disk_full', free_percent: 10 },
  key_expires: { type: 'key_expires', days: 14 },
};

/** Whether a finding is beyond what a rule puts up with. */
export function isBeyond(rule: Rule, { level, lifetime = Number.POSITIVE_INFINITY }: Pick<Finding, 'level' | 'lifetime'>): boolean {
  switch (rule.type) {
    case 'failing':
      return level >= rule.runs;
    case 'rejects':
      return level > rule.over;
    case 'lag':
      return level > rule.seconds;
    case 'disk_full':
      return level < rule.free_percent;
    case 'key_expires':
      // A key that was made for less is meant to end.
      return level <= rule.days && lifetime > rule.days;
    default:
      return true;
  }
}

/** The rule by which an alert looks at this; undefined when it does not. */
export function ruleFor(
  { rules, syncIds }: Pick<AlertRules, 'rules' | 'syncIds'>,
  object: { rule: RuleType; objectId: string },
): Rule | undefined {
  if (isOfSyncs(object.rule) && syncIds !== null && !syncIds.includes(object.objectId)) return undefined;
  return rules.find(({ type }) => type === object.rule);
}

/** Whether it is an incident: by itself, or for one of the alerts that look at it. An alert that puts up with more hides nothing from the others. */
export function isIncident(alerts: readonly AlertRules[], finding: Finding): boolean {
  const rules = alerts.flatMap((alert) => ruleFor(alert, finding) ?? []);
  const fallback = DEFAULTS[finding.rule];
  return [...rules, ...(fallback ? [fallback] : [])].some((rule) => isBeyond(rule, finding));
}

/** The most rejects and days that any alert puts up with, and the least lag in seconds; null when no alert looks at lag. */
export interface LookBounds {
  readonly rejects: number;
  readonly days: number;
  readonly lag: number | null;
}

/** The bounds up to which it pays to look, over all alerts. */
export function boundsOf(alerts: readonly AlertRules[]): LookBounds {
  const rules = [...alerts.flatMap((alert) => alert.rules), ...Object.values(DEFAULTS)];
  const lags = rules.flatMap((rule) => (rule.type === 'lag' ? [rule.seconds] : []));
  return {
    rejects: Math.max(...rules.map((rule) => (rule.type === 'rejects' ? rule.over : 0))),
    days: Math.max(...rules.map((rule) => (rule.type === 'key_expires' ? rule.days : 0))),
    lag: lags.length > 0 ? Math.min(...lags) : null,
  };
}

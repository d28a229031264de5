import { intervalOf } from '../jobs/schedule.ts';
import type { AlertRules, MessageKind, RuleType } from './alert.ts';
import { quietUntil } from './quiet.ts';
import { type Finding, isBeyond, isIncident, ruleFor } from './rules.ts';

// What follows from what is wrong now and what was known before. Pure: nothing is read or written here.

/** An incident that goes on. */
export interface OpenIncident {
  readonly id: string;
  readonly rule: RuleType;
  readonly object_id: string;
  readonly object_name: string;
  readonly summary: string;
}

/** An alert that knows of an incident. */
export interface KnownIncident {
  readonly alert_id: string;
  readonly incident_id: string;
  readonly remind_at: string | null;
}

export interface Situation {
  /** Milliseconds, by the clock that all nodes share. */
  readonly now: number;
  readonly alerts: readonly AlertRules[];
  readonly findings: readonly Finding[];
  readonly open: readonly OpenIncident[];
  readonly known: readonly KnownIncident[];
}

export interface NewMessage {
  readonly alertId: string;
  readonly incidentId: string;
  readonly kind: MessageKind;
  /** When it may be sent: now, or when quiet hours are over. */
  readonly nextAt: number;
}

export interface AlertChanges {
  readonly opened: readonly (Finding & { readonly id: string })[];
  readonly changed: readonly (Finding & { readonly id: string })[];
  readonly closed: readonly string[];
  readonly messages: readonly NewMessage[];
  /** What alerts know of from now on, or want to be reminded of at another time. */
  readonly learned: readonly { readonly alertId: string; readonly incidentId: string; readonly remindAt: number | null }[];
  /** What alerts need not know of any more. */
  readonly forgotten: readonly { readonly alertId: string; readonly incidentId: string }[];
}

/** So much is begun or ended in one look, and so many messages are made: what is left follows in the next ones. */
export interface Most {
  readonly incidents: number;
  readonly messages: number;
}

const MOST: Most = { incidents: 300, messages: 2_000 };

/** `makeId` gives the ids of new incidents. `isAll`: nothing was left for the next look. */
export function changesIn(
  { now, alerts, findings, open, known }: Situation,
  makeId: () => string,
  most: Most = MOST,
): { changes: AlertChanges; isAll: boolean } {
  const openBy = new Map(open.map((incident) => [keyOf(incident.rule, incident.object_id), incident]));
  const current = findings
    .filter((finding) => isIncident(alerts, finding))
    .map((finding) => ({ finding, before: openBy.get(keyOf(finding.rule, finding.objectId)) }));
  const going = new Set(current.map(({ before }) => before?.id));
  const over = open.filter(({ id }) => !going.has(id));

  const opened: (Finding & { id: string })[] = [];
  const changed: (Finding & { id: string })[] = [];
  const closed: string[] = [];
  const knownBy = Map.groupBy(known, ({ incident_id }) => incident_id);
  const messages: NewMessage[] = [];
  const learned: { alertId: string; incidentId: string; remindAt: number | null }[] = [];
  const forgotten: { alertId: string; incidentId: string }[] = [];
  const tell = (alert: AlertRules, incidentId: string, kind: MessageKind): void => {
    messages.push({ alertId: alert.id, incidentId, kind, nextAt: quietUntil(alert.quietHours, now) ?? now });
  };

  let left = 0;
  const isFull = (): boolean => opened.length + closed.length >= most.incidents || messages.length >= most.messages;

  for (const { finding, before } of current) {
    if (isFull()) {
      left++;
      continue;
    }
    const id = before?.id ?? makeId();
    if (!before) opened.push({ ...finding, id });
    else if (before.summary !== finding.summary || before.object_name !== finding.objectName) changed.push({ ...finding, id });
    const pairs = new Map((knownBy.get(id) ?? []).map((pair) => [pair.alert_id, pair]));
    for (const alert of alerts) {
      const pair = pairs.get(alert.id);
      const rule = ruleFor(alert, finding);
      const wants = rule !== undefined && isBeyond(rule, finding);
      const of = { alertId: alert.id, incidentId: id };
      if (wants && !pair) {
        tell(alert, id, 'opened');
        learned.push({ ...of, remindAt: remindAt(alert, now) });
      } else if (wants && pair?.remind_at != null && Date.parse(pair.remind_at) <= now) {
        tell(alert, id, 'reminder');
        learned.push({ ...of, remindAt: remindAt(alert, now) });
      } else if (!wants && pair) {
        // An alert that no longer looks at it was changed by a person, who need not be told.
        if (rule) tell(alert, id, 'closed');
        forgotten.push(of);
      }
    }
  }
  const alertBy = new Map(alerts.map((alert) => [alert.id, alert]));
  for (const { id, rule, object_id: objectId } of over) {
    if (isFull()) {
      left++;
      continue;
    }
    closed.push(id);
    for (const { alert_id: alertId } of knownBy.get(id) ?? []) {
      const alert = alertBy.get(alertId);
      if (alert && ruleFor(alert, { rule, objectId })) tell(alert, id, 'closed');
      forgotten.push({ alertId, incidentId: id });
    }
  }
  return { changes: { opened, changed, closed, messages, learned, forgotten }, isAll: left === 0 };
}

/** Whether there is anything to write down. */
export function isAnything(changes: AlertChanges): boolean {
  return Object.values(changes).some((list: readonly unknown[]) => list.length > 0);
}

function remindAt({ remindEvery }: AlertRules, now: number): number | null {
  const every = remindEvery === null ? undefined : intervalOf(remindEvery);
  return every === undefined ? null : now + every;
}

function keyOf(rule: RuleType, objectId: string): string {
  return `${rule} ${objectId}`;
}

import type { Scope } from '../http/scopes.ts';

/** What an alert can be told of. */
export const RULES = [
  'failing',
  'needs_approval',
  'rejects',
  'differs',
  'late',
  'lag',
  'schema_changed',
  'endpoint_paused',
  'disk_full',
  'key_expires',
] as const;

export type RuleType = (typeof RULES)[number];

/** What an alert wants to be told of, and from where on. */
export type Rule =
  | { readonly type: 'failing'; readonly runs: number }
  | { readonly type: 'needs_approval' }
  | { readonly type: 'rejects'; readonly over: number }
  | { readonly type: 'differs' }
  | { readonly type: 'late' }
  | { readonly type: 'lag'; readonly seconds: number }
  | { readonly type: 'schema_changed' }
  | { readonly type: 'endpoint_paused' }
  | { readonly type: 'disk_full'; readonly free_percent: number }
  | { readonly type: 'key_expires'; readonly days: number };

/** The scope that a caller needs to hear of what a rule is about. */
export const SCOPE_OF: Readonly<Record<RuleType, Scope>> = {
  failing: 'datasync:read',
  needs_approval: 'datasync:read',
  rejects: 'datasync:read',
  differs: 'datasync:read',
  late: 'datasync:read',
  lag: 'datasync:read',
  schema_changed: 'datasync:read',
  endpoint_paused: 'webhooks',
  disk_full: 'admin',
  key_expires: 'admin',
};

/** Whether a rule is about synchronizations. */
export function isOfSyncs(rule: RuleType): boolean {
  return SCOPE_OF[rule] === 'datasync:read';
}

const CHAT_TYPES = ['slack', 'teams', 'discord', 'mattermost'] as const;

export type AlertChannel =
  | { readonly type: 'email'; readonly smtp_url: string; readonly from: string; readonly to: readonly string[]; readonly ca: string | null }
  | { readonly type: (typeof CHAT_TYPES)[number]; readonly url: string }
  | { readonly type: 'webhook'; readonly url: string; readonly secret: string };

export interface QuietHours {
  /** By the clock on the wall: `22:00`. */
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

/** What an evaluation has to know of an alert; how it is reached is looked up when there is something to tell. */
export interface AlertRules {
  readonly id: string;
  readonly rules: readonly Rule[];
  /** Null for all. */
  readonly syncIds: readonly string[] | null;
  readonly remindEvery: string | null;
  readonly quietHours: QuietHours | null;
}

export type MessageKind = 'opened' | 'reminder' | 'closed';

export const MESSAGE_STATUSES = ['waiting', 'sent', 'skipped', 'failed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

import type { Scope } from '../../api/resources.ts';

/** What each scope allows, in words. */
export const SCOPE_WORDS: Record<Scope, string> = {
  'orders:read': 'See orders and their history',
  'orders:write': 'Send orders and change their status',
  'products:read': 'See products',
  'products:write': 'Send, change and delete products',
  'datasync:read': 'See sources, synchronizations, runs, logs and metrics',
  'datasync:write': 'Change and run synchronizations and sources',
  webhooks: 'Manage webhooks and alerts',
  'assistant:write': 'Let an assistant change things, with the other scopes of this key',
  admin: 'Everything, keys included',
};

export const SCOPES = Object.keys(SCOPE_WORDS) as Scope[];

import { demandScope } from '../http/callers/auth.ts';
import { may, type Principal, type Scope } from '../http/scopes.ts';
import { type Rule, RULES, type RuleType, SCOPE_OF } from './alert.ts';

/** What a caller may hear of. */
export function heardBy(caller: Principal): RuleType[] {
  return RULES.filter((rule) => may(caller, SCOPE_OF[rule]));
}

/** Throws FORBIDDEN unless the caller may hear of everything that these rules tell: an alert must be no way around a scope. */
export function demandRules(caller: Principal, rules: readonly Rule[], namesSyncs: boolean): void {
  for (const scope of neededFor(rules, namesSyncs)) demandScope(caller, scope);
}

/** Whether a caller may hear of everything that an alert tells. */
export function hearsAll(caller: Principal, { rules, sync_ids }: { rules: string; sync_ids: string | null }): boolean {
  return [...neededFor(JSON.parse(rules) as Rule[], sync_ids !== null)].every((scope) => may(caller, scope));
}

function neededFor(rules: readonly Rule[], namesSyncs: boolean): Set<Scope> {
  const needed = new Set<Scope>(rules.map(({ type }) => SCOPE_OF[type]));
  if (namesSyncs) needed.add('datasync:read');
  return needed;
}

import { definitionOf } from '../datasync/runs/rows/stored-definition.ts';
import type { Scope } from '../http/scopes.ts';
import { differences } from './differences.ts';
import { SECTIONS, type Section } from './document.ts';
import type { Planning, StepName } from './planning.ts';
import { entryOf } from './stored.ts';

/** Those that use others go before them. */
const ORDER: readonly Section[] = ['alerts', 'webhooks', 'syncs', 'sources', 'hooks', 'keys'];
const DELETES: Readonly<Record<Section, StepName>> = {
  sources: 'deleteSource',
  hooks: 'deleteHook',
  syncs: 'deleteSync',
  webhooks: 'deleteWebhook',
  alerts: 'deleteAlert',
  keys: 'revokeKey',
};

/**
 * Deletes what the sections of the document do not name; a section that is not there is left alone. What runs, or what others need, is refused by
 * the commands themselves, in the transaction.
 */
export function planDeletions(planning: Planning): void {
  const { caller, clock, document, nameOf, rows } = planning;
  for (const section of ORDER.filter((one) => document[one] !== undefined)) {
    const kept = new Set(Object.keys(document[section] ?? {}));
    const gone = rows[section].filter(({ id, name }) => !kept.has(name) && !(section === 'keys' && id === caller.id));
    for (const row of section === 'syncs' ? followersFirst(rows.syncs.filter((sync) => gone.some(({ id }) => id === sync.id))) : gone) {
      const { id, name } = row;
      const input = { actor: caller.actor(), scopes: caller.scopes, now: clock(), id };
      planning.steps.push({ run: DELETES[section], section, name, input });
      const fields = differences(entryOf(section, row, nameOf), {});
      planning.changes.push({ section, name, action: 'delete', fields, effects: [effectOf(section)] });
    }
  }
  demandAdmin(planning);
}

function effectOf(section: Section): string {
  switch (section) {
    case 'syncs':
      return 'Its runs and what they rejected go with it. The data at the target stays.';
    case 'webhooks':
      return 'What it was still to be sent is not sent.';
    case 'hooks':
      return 'Its address is refused from then on, and its calls are forgotten.';
    case 'keys':
      return 'It is refused from then on.';
    default:
      return 'It cannot be brought back.';
  }
}

/** One that runs after another goes before that. */
function followersFirst<Row extends { id: string; definition: string }>(rows: readonly Row[]): Row[] {
  const sorted: Row[] = [];
  const visit = (row: Row): void => {
    if (sorted.includes(row)) return;
    for (const other of rows) {
      const { schedule } = definitionOf(other);
      if (other !== row && schedule.type === 'after' && schedule.sync_id === row.id) visit(other);
    }
    sorted.push(row);
  };
  for (const row of rows) visit(row);
  return sorted;
}

/** A service that nobody can administer any more would have to be started anew. */
function demandAdmin({ document, rows, changes, faults }: Planning): void {
  const gone = new Set(changes.filter(({ section, action }) => section === 'keys' && action === 'delete').map(({ name }) => name));
  if (gone.size === 0) return;
  const isAdmin = (scopes: unknown): boolean => (scopes as Scope[]).includes('admin');
  const stays = rows.keys.some(({ name, scopes }) => !gone.has(name) && isAdmin(document.keys?.[name]?.['scopes'] ?? JSON.parse(scopes)));
  const comes = Object.values(document.keys ?? {}).some(({ scopes }) => isAdmin(scopes));
  if (!stays && !comes) faults.push({ field: SECTIONS[5], reason: 'must keep a key with the scope admin' });
}

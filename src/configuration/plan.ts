import { createHash } from 'node:crypto';
import type { SyncToCreate } from '../datasync/syncs/commands.ts';
import { plannedWarnings } from '../datasync/syncs/shared-tables.ts';
import { tablesOf, type TableWriter } from '../datasync/syncs/table-writers.ts';
import type { Database } from '../db/database.ts';
import { demandScope } from '../http/callers/auth.ts';
import type { Caller } from '../http/caller.ts';
import { AppError, type FieldError, invalidParams } from '../lib/errors.ts';
import { withDocumentDefaults } from './defaults.ts';
import { type ConfigDocument, SECTIONS, type Section, WORDS } from './document.ts';
import { documentFaults, nameFaults } from './faults.ts';
import { planHooks, planNewHooks } from './plan-hooks.ts';
import { planSources } from './plan-sources.ts';
import { planSyncs } from './plan-syncs.ts';
import { planAlerts, planKeys, planWebhooks } from './plan-told.ts';
import type { ConfigChange, ConfigStep, SeenRow, MadeSecret, Planning, Services } from './planning.ts';
import { planDeletions } from './prune.ts';
import { unresolvedSecrets } from './secrets.ts';
import { stateFaults, type SyncState, takenIds } from './state.ts';
import { namesOf, readStored, SCOPES_OF } from './stored.ts';

export interface PlanWish {
  readonly document: unknown;
  /** Whether what the document does not name is deleted. */
  readonly prune: boolean;
  /** How far synchronizations have come elsewhere, by name. */
  readonly state?: unknown;
}

export interface Plan {
  readonly changes: readonly ConfigChange[];
  readonly warnings: readonly string[];
  /** Tells whether a plan that was looked at is still what would be done. */
  readonly digest: string;
  readonly steps: readonly ConfigStep[];
  readonly known: readonly SeenRow[];
  readonly made: readonly MadeSecret[];
}

/** What it takes for the service to be as a document says. Nothing is changed; throws every fault with its place. */
export async function planOf(db: Database, services: Services, caller: Caller, wish: PlanWish, right: 'read' | 'write'): Promise<Plan> {
  refuse(documentFaults(wish.document));
  const document = withDocumentDefaults(withoutEmpty(wish.document as ConfigDocument));
  refuse(unresolvedSecrets(document));
  for (const section of SECTIONS) if (document[section] !== undefined) demandScope(caller, SCOPES_OF[section][right]);
  // It tells of rows of all sources, the shop's too, and says which were sent.
  if (wish.state !== undefined) demandScope(caller, 'admin');
  const rows = await db.query(readStored, { now: services.clock() });
  refuse(
    nameFaults(
      document,
      (section) => rows[section].map(({ name }) => name),
      (section) => `is no ${WORDS[section]} that there is, here or in the document`,
    ),
  );
  const state = await stateOf(db, document, wish.state, rows);
  const ids = new Map(SECTIONS.flatMap((section) => rows[section].map(({ id, name }) => [`${section} ${name}`, id] as const)));
  const stored = namesOf(rows);
  const nameOf: Planning['nameOf'] = (section, id) => {
    const planned = [...ids].find(([key, one]) => one === id && key.startsWith(`${section} `));
    return planned ? planned[0].slice(section.length + 1) : stored(section, id);
  };
  const planning: Planning = {
    ...services,
    caller,
    document,
    rows,
    state,
    nameOf,
    ids,
    steps: [],
    changes: [],
    warnings: [],
    faults: [],
    made: [],
    known: [],
    sourceRows: new Map(),
  };
  await planNewHooks(planning);
  await planSources(planning);
  await planSyncs(planning);
  await planHooks(planning);
  await planWebhooks(planning);
  await planAlerts(planning);
  await planKeys(planning);
  if (wish.prune && planning.faults.length === 0) planDeletions(planning);
  refuse(planning.faults);
  planning.warnings.push(...sharedTables(planning));
  const known = knownRows(planning);
  const changes = joined(planning.changes);
  return { changes, warnings: planning.warnings, digest: digestOf(changes, known), steps: planning.steps, known, made: planning.made };
}

/** Tables that several synchronizations write as they are to be, where the document is about one of them. */
function sharedTables({ rows, steps, document, sourceRows }: Planning): string[] {
  const writers = new Map<string, TableWriter>();
  for (const row of rows.syncs) writers.set(row.id, { id: row.id, name: row.name, targetId: row.target_id, tables: tablesOf(row) });
  for (const { run, input } of steps) {
    const { id, name, targetId, definition } = input as SyncToCreate;
    if (run === 'createSync' || run === 'updateSync') writers.set(id, { id, name, targetId, tables: tablesOf({ definition }) });
    if (run === 'deleteSync') writers.delete(id);
  }
  const typeOf = (id: string): string => sourceRows.get(id)?.row.type ?? '';
  return plannedWarnings([...writers.values()], ({ name }) => Object.hasOwn(document.syncs ?? {}, name), typeOf);
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidParams(faults);
}

/** A section without entries is one: with `prune` nothing of it stays. */
function withoutEmpty(document: ConfigDocument): ConfigDocument {
  return Object.fromEntries(
    Object.entries(document).flatMap(([name, value]) => {
      if (value !== null) return [[name, value]];
      return name === 'defaults' ? [] : [[name, {}]];
    }),
  );
}

/** The state of those that are new here. Those that are there already go on from where they are. */
async function stateOf(
  db: Database,
  { syncs = {} }: ConfigDocument,
  given: unknown,
  rows: Planning['rows'],
): Promise<Readonly<Record<string, SyncState>>> {
  if (given === undefined) return {};
  refuse(stateFaults(given));
  const state = given as Record<string, SyncState>;
  const taken = await takenIds(
    db.read,
    Object.values(state).map(({ id }) => id),
  );
  const faults = Object.entries(state).flatMap(([name, { id }]): FieldError[] => {
    const field = `state.${name}`;
    if (!Object.hasOwn(syncs, name)) return [{ field, reason: 'is of no synchronization of the document' }];
    const here = rows.syncs.find((row) => row.name === name);
    if (here && here.id !== id)
      return [{ field, reason: `is of ${id}, and "${name}" is there already as ${here.id}: it cannot take over the state of another one` }];
    const other = taken.get(id);
    return other === undefined || other === name ? [] : [{ field, reason: `is of ${id}, which is "${other}" here` }];
  });
  refuse(faults);
  return Object.fromEntries(Object.entries(state).filter(([, { id }]) => !taken.has(id)));
}

/** All that is changed, and the sources that synchronizations were held against. */
function knownRows({ rows, document, steps }: Planning): SeenRow[] {
  const named = new Set(steps.map(({ section, name }) => `${section} ${name}`));
  if (steps.some(({ section }) => section === 'syncs'))
    for (const { source, target } of Object.values(document.syncs ?? {}))
      for (const end of [source, target]) named.add(`sources ${String(end)}`);
  const versioned = SECTIONS.filter((section): section is Exclude<Section, 'keys'> => section !== 'keys');
  return versioned.flatMap((section) =>
    rows[section].filter(({ name }) => named.has(`${section} ${name}`)).map(({ id, name, version }) => ({ section, id, name, version })),
  );
}

/** One change for each thing. */
function joined(changes: readonly ConfigChange[]): ConfigChange[] {
  return [...Map.groupBy(changes, ({ section, name }) => `${section} ${name}`).values()].map((same) => ({
    ...(same[0] as ConfigChange),
    fields: same.flatMap(({ fields }) => fields),
    effects: same.flatMap(({ effects }) => effects),
  }));
}

function digestOf(changes: readonly ConfigChange[], known: readonly SeenRow[]): string {
  const versions = known.map(({ id, version }) => [id, version]);
  return createHash('sha256')
    .update(JSON.stringify([changes, versions]))
    .digest('base64url')
    .slice(0, 43);
}

/** Throws when a plan is not the one that was looked at. */
export function demandSame({ digest }: Plan, looked: string | undefined): void {
  if (looked === undefined || looked === digest) return;
  throw new AppError(
    'CONFLICT',
    'This is no longer what would be changed: something was changed since the plan was made, here or at a source. Nothing was applied: look at a new plan.',
    {
      field: 'digest',
      reason: 'is of a plan that is no longer true',
    },
  );
}

import type { AlertService } from '../alerts/service.ts';
import type { HookService } from '../datasync/hooks/service.ts';
import type { SourceRow } from '../datasync/sources/queries.ts';
import type { SourceService } from '../datasync/sources/service.ts';
import type { Caller } from '../http/caller.ts';
import { demandScope } from '../http/callers/auth.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, type FieldError } from '../lib/errors.ts';
import type { WebhookService } from '../webhooks/service.ts';
import type { FieldChange } from './differences.ts';
import type { ConfigDocument, Section } from './document.ts';
import type { NameOf, StoredRows } from './entries.ts';
import { placeOf, stepsTo } from './places.ts';
import type { SyncState } from './state.ts';

/** What is done to one thing. */
export interface ConfigChange {
  readonly section: Section;
  readonly name: string;
  readonly action: 'create' | 'update' | 'delete';
  readonly fields: readonly FieldChange[];
  /** What it means for the data, in sentences. */
  readonly effects: readonly string[];
}

/** What a plan is made of: the commands that the routes of the API run one by one. */
export type StepName =
  | `${'create' | 'update' | 'delete'}${'Source' | 'Sync' | 'Hook' | 'Webhook' | 'Alert'}`
  | `${'create' | 'change' | 'revoke'}Key`
  | `${'pause' | 'resume'}Sync`
  | 'bringState';

/** One command of the transaction. Its input is plain data. */
export interface ConfigStep {
  readonly run: StepName;
  readonly section: Section;
  readonly name: string;
  readonly input: unknown;
}

/** Something that is shown once: it was made here. */
export interface MadeSecret {
  readonly section: Section;
  readonly name: string;
  readonly secret: string | null;
  /** Of a hook: the token of its address. */
  readonly token: string | null;
}

/** A row that the plan was made from; it has to be the same when the plan is carried out. */
export interface SeenRow {
  readonly section: Exclude<Section, 'keys'>;
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

export interface Services {
  readonly sources: SourceService;
  readonly hooks: HookService;
  readonly webhooks: WebhookService;
  readonly alerts: AlertService;
  readonly clock: Clock;
  /** How many synchronizations one key may have. */
  readonly syncsPerKey: number;
}

/** What a plan grows from, and what it has grown to. */
export interface Planning extends Services {
  readonly caller: Caller;
  /** With its defaults in their places. */
  readonly document: ConfigDocument;
  readonly rows: StoredRows;
  readonly state: Readonly<Record<string, SyncState>>;
  readonly nameOf: NameOf;
  readonly steps: ConfigStep[];
  readonly changes: ConfigChange[];
  readonly warnings: string[];
  readonly faults: FieldError[];
  readonly made: MadeSecret[];
  readonly known: SeenRow[];
  /** Ids by section and name, of what is stored and of what is to be. */
  readonly ids: Map<string, string>;
  /** Sources as they are to be. */
  readonly sourceRows: Map<string, { row: SourceRow; isStored: boolean }>;
}

export function storedOf<Of extends Section>(
  { rows }: Pick<Planning, 'rows'>,
  section: Of,
  name: string,
): StoredRows[Of][number] | undefined {
  return (rows[section] as readonly StoredRows[Of][number][]).find((row) => row.name === name);
}

export function idOf({ ids }: Pick<Planning, 'ids'>, section: Section, name: unknown): string {
  return ids.get(`${section} ${String(name)}`) ?? '';
}

export function isToBe({ ids }: Pick<Planning, 'ids'>, section: Section, name: string, id: string): void {
  ids.set(`${section} ${name}`, id);
}

/**
 * Throws unless a caller may try a configuration that is not saved, as the route for that does: its author chooses where the service goes, and a mask in it
 * stands for the stored secret, which would be sent there.
 */
export function demandMayTry(caller: Caller): void {
  demandScope(caller, 'datasync:write');
}

/** Members that have another name in the API, where ids stand for names. */
const CALLED: readonly [RegExp, string][] = [
  [/^source_id\b/, 'source'],
  [/^target_id\b/, 'target'],
  [/^schedule\.sync_id\b/, 'schedule.sync'],
  [/^sync_ids\b/, 'syncs'],
  [/^sync_id\b/, 'sync'],
];

/** Plans one entry. What is wrong with it is kept with its place, and the others go on: all faults are told at once. */
export async function attempt(
  planning: Planning,
  section: Section,
  name: string,
  work: () => Promise<void> | void,
  faultIn: (fault: FieldError) => FieldError = (fault) => fault,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    // What another key, or a moment later, would have to be asked is not the fault of the document.
    if (!(error instanceof AppError) || ['FORBIDDEN', 'UNAVAILABLE', 'INTERNAL_ERROR'].includes(error.code)) throw error;
    const ofEntry = error.code === 'INVALID_PARAMS' ? (error.details.errors ?? []) : [{ field: '', reason: error.message }];
    const entry = planning.document[section]?.[name];
    for (const fault of ofEntry) {
      const { field, reason } = faultIn({
        ...fault,
        field: CALLED.reduce((text, [pattern, word]) => text.replace(pattern, word), fault.field),
      });
      planning.faults.push({ field: placeOf([section, name, ...stepsTo(entry, field)]), reason });
    }
  }
}

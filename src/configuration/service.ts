import type { Database } from '../db/database.ts';
import type { Caller } from '../http/caller.ts';
import { demandScope } from '../http/callers/auth.ts';
import { findVersion, type VersionRow } from '../datasync/syncs/versions.ts';
import { notFound } from '../lib/errors.ts';
import type { Hints } from '../jobs/hints.ts';
import { applyConfiguration } from './apply.ts';
import { type Exported, exported } from './exported.ts';
import { newFile } from './updated-files.ts';
import { demandSame, type Plan, planOf, type PlanWish } from './plan.ts';
import type { MadeSecret, Services } from './planning.ts';
import { readStates, type SyncState } from './state.ts';
import { readableBy, readStored } from './stored.ts';
import { type Section, SECTIONS } from './document.ts';

export interface ConfigurationService {
  /** What there is, as a document without secrets; with the positions of its synchronizations when they are asked for. */
  export(caller: Caller, withState: boolean): Promise<Exported & { leftOut: readonly Section[]; state: Record<string, SyncState> | null }>;
  /** One thing as a file would have it; a synchronization also as it was in another version. */
  written(wish: WrittenWish): Promise<{ yaml: string; variables: Exported['variables'] }>;
  plan(caller: Caller, wish: PlanWish): Promise<Plan>;
  /** Carries out a plan in one transaction. With a digest, only if it is the plan of that digest. */
  apply(caller: Caller, wish: PlanWish & { digest?: string | undefined }): Promise<{ plan: Plan; made: readonly AppliedSecret[] }>;
}

/** What is to be written down. */
interface WrittenWish {
  readonly section: 'sources' | 'syncs';
  readonly id: string;
  readonly version?: number | undefined;
}

/** What is shown once of what was made. */
interface AppliedSecret extends MadeSecret {
  readonly key: string | null;
}

interface Options extends Services {
  db: Database;
  hints: Hints;
}

export function createConfigurationService({ db, hints, ...services }: Options): ConfigurationService {
  return {
    export: async (caller, withState) => {
      // It has the keys of rows, of the shop too.
      if (withState) demandScope(caller, 'admin');
      const sections = readableBy(caller);
      const [rows, state] = [await db.query(readStored, { now: services.clock() }), withState ? await db.query(readStates, {}) : null];
      return { ...exported(rows, sections), leftOut: SECTIONS.filter((section) => !sections.includes(section)), state };
    },
    written: async ({ section, id, version }) => {
      const rows = await db.query(readStored, { now: services.clock() });
      const what = section === 'syncs' ? 'synchronization' : 'source';
      if (!rows[section].some((row) => row.id === id)) throw notFound(what, id);
      const then = version === undefined ? undefined : await findVersion(db.read, id, version);
      if (version !== undefined && !then) throw notFound('version', String(version));
      const syncs = then ? rows.syncs.map((row) => (row.id === id ? { ...row, ...saidThen(then) } : row)) : rows.syncs;
      const { document, variables } = exported({ ...rows, syncs }, [section], id);
      return { yaml: await newFile(document, []), variables };
    },
    plan: (caller, wish) => planOf(db, services, caller, wish, 'read'),
    apply: async (caller, { digest, ...wish }) => {
      const plan = await planOf(db, services, caller, wish, 'write');
      demandSame(plan, digest);
      if (plan.steps.length === 0) return { plan, made: [] };
      const { steps, known } = plan;
      const keys = await db.write(applyConfiguration, { actor: caller.actor(), now: services.clock(), steps, known, digest: plan.digest });
      for (const topic of ['syncs', 'runs', 'webhooks', 'hooks', 'keys'] as const) hints.tell(topic);
      if (steps.some(({ run }) => run === 'deleteWebhook')) await services.webhooks.endingsHeeded();
      const made = plan.made.map((one) => ({ ...one, key: null }));
      return {
        plan,
        made: [...made, ...Object.entries(keys).map(([name, key]) => ({ section: 'keys' as const, name, secret: null, token: null, key }))],
      };
    },
  };
}

/** What is another from version to version. */
function saidThen({
  name,
  source_id,
  target_id,
  definition,
}: VersionRow): Pick<VersionRow, 'name' | 'source_id' | 'target_id' | 'definition'> {
  return { name, source_id, target_id, definition };
}

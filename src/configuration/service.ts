import type { Database } from '../db/database.ts';
import type { Caller } from '../http/caller.ts';
import { demandScope } from '../http/callers/auth.ts';
import type { Hints } from '../jobs/hints.ts';
import { applyConfiguration } from './apply.ts';
import { type Exported, exported } from './exported.ts';
import { demandSame, type Plan, planOf, type PlanWish } from './plan.ts';
import type { MadeSecret, Services } from './planning.ts';
import { readStates, type SyncState } from './state.ts';
import { readableBy, readStored } from './stored.ts';
import { type Section, SECTIONS } from './document.ts';

export interface ConfigurationService {
  /** What there is, as a document without secrets; with the positions of its synchronizations when they are asked for. */
  export(caller: Caller, withState: boolean): Promise<Exported & { leftOut: readonly Section[]; state: Record<string, SyncState> | null }>;
  plan(caller: Caller, wish: PlanWish): Promise<Plan>;
  /** Carries out a plan in one transaction. With a digest, only if it is the plan of that digest. */
  apply(caller: Caller, wish: PlanWish & { digest?: string | undefined }): Promise<{ plan: Plan; made: readonly AppliedSecret[] }>;
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

import { alertFamilies } from './alerts/metrics.ts';
import { hookFamilies, type HookFigures } from './datasync/metrics/hook-families.ts';
import { family } from './datasync/metrics/text-format.ts';
import { releaseFamilies } from './datasync/releases/releasing.ts';
import type { Database } from './db/database.ts';
import type { SignInFigures } from './keys/sign-in/pages.ts';
import type { Clock } from './lib/clock.ts';
import { shopFamilies } from './shop-figures.ts';
import { traceFamilies } from './trace-figures.ts';
import type { Tracer } from './traces/tracer.ts';
import { exposeDeliveries } from './webhooks/delivery/exposition.ts';
import type { DeliveryFigures } from './webhooks/delivery/figures.ts';

export interface OtherFigures {
  db: Database;
  clock: Clock;
  hooks: HookFigures;
  deliveries: DeliveryFigures;
  tracer: Tracer | undefined;
  signIns: SignInFigures | undefined;
}

/** The families of metrics that are not of synchronizations, in the text format of Prometheus: each is made when it is asked for. */
export function otherFamilies({ db, clock, hooks, deliveries, tracer, signIns }: OtherFigures): (() => Promise<string>)[] {
  return [
    () => alertFamilies(db.read),
    async () => hookFamilies(hooks),
    () => releaseFamilies(db),
    () => shopFamilies(db),
    () => exposeDeliveries(db, clock, deliveries),
    async () => traceFamilies(tracer),
    async () => signInFamilies(signIns),
  ];
}

/** Nothing where people sign in by key only. */
function signInFamilies(figures: SignInFigures | undefined): string {
  if (!figures) return '';
  return family(
    'syncline_oidc_sign_ins_total',
    'counter',
    'Sign-ins of people at the OIDC issuer, by how they ended on this node.',
    Object.entries(figures).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
}

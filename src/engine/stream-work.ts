import type { Session } from '../connectors/session.ts';
import type { FailedEnd } from './failure.ts';
import type { StreamPlan } from './plan/plan.ts';
import type { RunOrder, RunPorts, StreamReport, StreamState, TakenPart } from './run.ts';

/** One stream of a run, with all that its work needs. */
export interface StreamWork {
  readonly order: RunOrder;
  readonly plan: StreamPlan;
  readonly state: StreamState;
  readonly source: Session;
  readonly target: Session;
  /** Whether the target keeps the position; else we do. */
  readonly targetKeepsPosition: boolean;
  /** Whether others may copy parts of it, should it be worth that. */
  readonly mayBeSplit: boolean;
  /** Only this part of it. */
  readonly part?: TakenPart;
  readonly ports: RunPorts;
  readonly signal: AbortSignal;
  readonly report: StreamReport;
}

export const sourceOf = ({ order }: StreamWork): FailedEnd => ({ role: 'source', name: order.source.name });
export const targetOf = ({ order }: StreamWork): FailedEnd => ({ role: 'target', name: order.target.name });

import type { RootsOptions } from '../../../outside/roots.ts';
import type { HookPort } from '../../../connectors/hook-port.ts';
import type { ShopPort } from '../../../connectors/shop-port.ts';
import type { CallAnswer, ThreadCall } from '../../sources/thread-calls.ts';
import type { RunOrder, RunOutcome, RunPorts, StopReason, StreamReport } from '../../../engine/run.ts';

/** What a thread that does runs is started with: how far its connectors may reach. */
export interface RunThreadSettings {
  readonly networks: string;
  readonly roots: RootsOptions;
}

/** What a run asks of the main thread and waits for: our own database is there. */
export type RunDesk = Omit<RunPorts, 'open' | 'progress' | 'log'>;

/** The objects of the main thread that a run may call. */
export interface RunService {
  readonly desk: RunDesk;
  readonly shop: ShopPort;
  readonly hooks: HookPort;
}

export type LogLine = Parameters<RunPorts['log']>;

export type ToRunThread = { readonly order: RunOrder } | { readonly stop: StopReason } | CallAnswer;

export type FromRunThread =
  | ThreadCall
  | { readonly progress: readonly (readonly [index: number, report: StreamReport])[] }
  | { readonly log: LogLine }
  | { readonly outcome: RunOutcome };

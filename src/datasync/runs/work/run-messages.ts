import type { RootsOptions } from '../../../outside/roots.ts';
import type { HookPort } from '../../../connectors/hook-port.ts';
import type { ShopPort } from '../../../connectors/shop-port.ts';
import type { SourceSecrets } from '../../sources/kept-secrets.ts';
import type { CallAnswer, ThreadCall } from '../../sources/thread-calls.ts';
import type { Lag, RunOrder, RunOutcome, RunPorts, StopReason, StreamReport } from '../../../engine/run.ts';

/** What a thread that does runs is started with: how far its connectors may reach. */
export interface RunThreadSettings {
  readonly networks: string;
  readonly roots: RootsOptions;
}

/** What a run asks of the main thread and waits for: our own database is there. */
export type RunDesk = Omit<RunPorts, 'open' | 'progress' | 'log' | 'lag'>;

/** The objects of the main thread that a run may call. */
export interface RunService {
  readonly desk: RunDesk;
  readonly shop: ShopPort;
  readonly hooks: HookPort;
  readonly secrets: SourceSecrets;
}

export type LogLine = Parameters<RunPorts['log']>;

/** When a stream was worked on, and what came of it: for traces. */
export interface StreamTime
  extends Pick<StreamReport, 'name' | 'target' | 'status' | 'read' | 'inserted' | 'updated' | 'deleted' | 'rejected'> {
  readonly start: number;
  readonly end: number;
  /** The code of its error. */
  readonly error: string | undefined;
}

/** What is told of a run as it goes on. */
export interface RunListener {
  progress(index: number, report: StreamReport): void;
  log(...line: LogLine): void;
  /** Of a live run: how far it is behind. */
  lag(lag: Lag): void;
  /** Of a run that is traced, in the end. */
  times?(times: readonly StreamTime[]): void;
}

/** Several runs may share a thread: `work` says which one is meant. It is a number of its own for each time that a run is begun. */
interface OfWork {
  readonly work: number;
}

/** What a run is told. */
export type ToRun = { readonly order: RunOrder } | { readonly stop: StopReason } | CallAnswer;

/** What a run tells. */
export type FromRun =
  | ThreadCall
  | { readonly progress: readonly (readonly [index: number, report: StreamReport])[] }
  | { readonly lag: Lag }
  | { readonly log: LogLine }
  | { readonly times: readonly StreamTime[] }
  | { readonly outcome: RunOutcome };

/** `warm`: types of ends that will soon be needed. */
export type ToRunThread = (OfWork & ToRun) | { readonly warm: readonly string[] };
export type FromRunThread = OfWork & FromRun;

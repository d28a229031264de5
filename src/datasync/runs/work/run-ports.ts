import { withDefaults } from '../../../connectors/config-values.ts';
import type { Context, SecretPort } from '../../../connectors/contract.ts';
import { reachOf } from '../../../outside/reach.ts';
import { loadConnector } from '../../../connectors/load.ts';
import { rootsOf } from '../../../outside/roots.ts';
import type { RunOrder, RunPorts, StreamReport } from '../../../engine/run.ts';
import { type CallAnswer, callsOver, hooksOver, secretsOver, shopOver } from '../../sources/thread-calls.ts';
import { StreamTimes } from './stream-times.ts';
import type { FromRun, RunDesk, RunService, RunThreadSettings } from './run-messages.ts';

/** Progress is told this often and no more: a message costs the main thread time. */
const TELL_INTERVAL = 200;

/** The main thread as a run's thread sees it. */
export interface MainThread extends Omit<RunService, 'secrets'> {
  /** Of one source. */
  readonly secretsOf: (source: string) => SecretPort;
  readonly send: (message: FromRun) => void;
  /** Takes the answer to a call. */
  settle(answer: CallAnswer): void;
}

export function mainThreadOver(send: (message: FromRun) => void): MainThread {
  const calls = callsOver(send);
  const desk = (method: keyof RunDesk) => calls.caller('desk', method);
  return {
    send,
    desk: {
      keepRejects: desk('keepRejects'),
      listRejects: desk('listRejects'),
      resolveRejects: desk('resolveRejects'),
      keepPosition: desk('keepPosition'),
      listDelivered: desk('listDelivered'),
      keepDelivered: desk('keepDelivered'),
      joinDelivered: desk('joinDelivered'),
      keepFields: desk('keepFields'),
      keepRows: desk('keepRows'),
      recount: desk('recount'),
      isOurs: desk('isOurs'),
      liveFront: desk('liveFront'),
      nudgeLive: desk('nudgeLive'),
      offerParts: desk('offerParts'),
      takePart: desk('takePart'),
      endPart: desk('endPart'),
    },
    shop: shopOver(calls),
    hooks: hooksOver(calls),
    secretsOf: (source) => secretsOver(calls, source),
    settle: calls.settle,
  };
}

/** What a run needs: connectors work here, our own database is reached through the main thread. */
export function portsOf(
  order: RunOrder,
  settings: RunThreadSettings,
  main: MainThread,
  signal: AbortSignal,
): { ports: RunPorts; close: () => void } {
  const { traceparent } = order;
  const context = {
    reach: reachOf(settings.networks),
    roots: rootsOf(settings.roots),
    shop: main.shop,
    hooks: main.hooks,
    signal,
    traceparent,
  };
  const progress = progressOver(main.send);
  const times = traceparent === undefined ? undefined : new StreamTimes();
  const ports: RunPorts = {
    ...main.desk,
    open: async (end) => {
      const { id, type, config, name } = order[end];
      const connector = await loadConnector(type);
      const tell: Context['tell'] = (level, message) => main.send({ log: [level, { message: `${name}: ${message}` }] });
      return connector.open(withDefaults(connector.manifest.config, config) as never, { ...context, tell, secrets: main.secretsOf(id) });
    },
    progress: (index, report) => {
      times?.note(index, report);
      progress.tell(index, report);
    },
    lag: (lag) => main.send({ lag }),
    log: (level, entry) => main.send({ log: [level, entry] }),
  };
  const close = (): void => {
    progress.close();
    if (times) main.send({ times: times.all() });
  };
  return { ports, close };
}

/** Keeps the latest report of each stream, and tells of those that have changed from time to time. */
function progressOver(send: (message: FromRun) => void): { tell: RunPorts['progress']; close: () => void } {
  const changed = new Map<number, StreamReport>();
  let timer: NodeJS.Timeout | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  const flush = (): void => {
    timer = undefined;
    toldAt = performance.now();
    send({ progress: [...changed] });
    changed.clear();
  };
  return {
    tell: (index, report) => {
      changed.set(index, report);
      timer ??= setTimeout(flush, Math.max(0, toldAt + TELL_INTERVAL - performance.now()));
    },
    close: () => clearTimeout(timer),
  };
}

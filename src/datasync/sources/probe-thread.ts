// A thread that asks systems and plans streams. A driver that hangs, a view that never ends or an expression of a user's holds up this thread, never the API.
import { parentPort } from 'node:worker_threads';
import type { Field } from '../../connectors/contract.ts';
import { loadConnector } from '../../connectors/load.ts';
import { packError, type PackedError } from '../../connectors/packed-error.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf, type RootsOptions } from '../../outside/roots.ts';
import type { PlannedStreams, StreamsToPlan } from '../../engine/plan/streams.ts';
import { type Answers, probe, type Question } from './probe.ts';
import { type CallAnswer, type ThreadCall, callsOver, hooksOver, secretsOver, shopOver } from './thread-calls.ts';

export type ProbeRequest =
  | { type: string; config: unknown; question: Question; networks: string; roots: RootsOptions; source: string | undefined }
  /** Streams to plan by what both systems were found to have. */
  | { plan: StreamsToPlan }
  /** Connectors that will be needed soon. */
  | { load: readonly string[] }
  /** A condition of a user's, to be understood. */
  | { condition: string; fields: readonly Field[] };

/** What a question is answered with; of a condition what is wrong with it. */
type Output = Answers[keyof Answers] | PlannedStreams | string | undefined;

export type ProbeAnswer = { output: Output } | { error: PackedError };
export type FromProbe = ProbeAnswer | ThreadCall;

const send = (message: FromProbe): void => parentPort?.postMessage(message);
const calls = callsOver(send);
const shop = shopOver(calls);
const hooks = hooksOver(calls);

parentPort?.on('message', (message: ProbeRequest | CallAnswer) => {
  if ('answer' in message) return calls.settle(message);
  return void outputOf(message).then(
    (output) => send({ output }),
    (error: unknown) => send({ error: packError(error) }),
  );
});

async function outputOf(request: ProbeRequest): Promise<Output> {
  // Loaded when it is first asked for: what knows expressions is large.
  if ('plan' in request) return (await import('../../engine/plan/streams.ts')).planStreams(request.plan);
  if ('condition' in request)
    return (await import('../../engine/expression/condition.ts')).conditionFault(request.condition, request.fields);
  if ('load' in request) {
    await Promise.allSettled(request.load.map(loadConnector));
    return undefined;
  }
  const { type, config, question, networks, roots, source } = request;
  const secrets = source === undefined ? {} : { secrets: secretsOver(calls, source) };
  const { signal } = new AbortController();
  return probe(type, config, { reach: reachOf(networks), roots: rootsOf(roots), shop, hooks, signal, ...secrets }, question);
}

// A thread that asks systems. A driver that hangs or a view that takes for ever holds up this thread, never the API.
import { parentPort } from 'node:worker_threads';
import { packError, type PackedError } from '../../connectors/packed-error.ts';
import { reachOf } from '../../connectors/reach.ts';
import { rootsOf, type RootsOptions } from '../../connectors/roots.ts';
import { type Answers, probe, type Question } from './probe.ts';

export interface ProbeRequest {
  type: string;
  config: unknown;
  question: Question;
  networks: string;
  roots: RootsOptions;
}

export type ProbeAnswer = { output: Answers[keyof Answers] } | { error: PackedError };

parentPort?.on('message', (request: ProbeRequest) => {
  const context = { reach: reachOf(request.networks), roots: rootsOf(request.roots), signal: new AbortController().signal };
  probe(request.type, request.config, context, request.question).then(
    (output) => parentPort?.postMessage({ output } satisfies ProbeAnswer),
    (error: unknown) => parentPort?.postMessage({ error: packError(error) } satisfies ProbeAnswer),
  );
});

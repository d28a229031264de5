// A thread that asks systems. A driver that hangs or a view that takes for ever holds up this thread, never the API.
import { parentPort } from 'node:worker_threads';
import { ConnectorError, type ErrorKind } from '../../connectors/errors.ts';
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

export type ProbeAnswer = { output: Answers[keyof Answers] } | { error: PackedConnectorError };

interface PackedConnectorError {
  kind: ErrorKind;
  code: string;
  message: string;
  hint: string | undefined;
  field: string | undefined;
  /** For our own log, when it is a bug. */
  stack: string | undefined;
}

parentPort?.on('message', (request: ProbeRequest) => {
  const context = { reach: reachOf(request.networks), roots: rootsOf(request.roots), signal: new AbortController().signal };
  probe(request.type, request.config, context, request.question).then(
    (output) => parentPort?.postMessage({ output } satisfies ProbeAnswer),
    (error: unknown) => parentPort?.postMessage({ error: pack(error) } satisfies ProbeAnswer),
  );
});

function pack(error: unknown): PackedConnectorError {
  if (error instanceof ConnectorError) {
    const { kind, code, message, hint, field } = error;
    return { kind, code, message, hint, field, stack: kind === 'bug' ? stackOf(error) : undefined };
  }
  return { kind: 'bug', code: 'BUG', message: String(error), hint: undefined, field: undefined, stack: stackOf(error) };
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack}${error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause)}`}`;
}

import { evaluateTexts, scopeOf } from '../../../src/connectors/airbyte/runtime/evaluate.ts';
import { type Part, partOf, textsAt } from '../../../src/connectors/airbyte/runtime/parts.ts';
import { putAt } from '../../../src/connectors/airbyte/runtime/records/dpath.ts';
import type { AirbyteSession } from '../../../src/connectors/airbyte/runtime/session.ts';
import type { Received } from '../api-server.ts';

/** Exports that were asked for: they run for one look, and are done at the next. */
export class Exports {
  readonly #jobs: { request: Received; looks: number }[] = [];

  /** The answer to the request for an export, with its name wherever the manifest looks for it. */
  create(retriever: Part, request: Received): object {
    const name = `job-${this.#jobs.push({ request, looks: 0 })}`;
    const answer: Record<string, unknown> = { id: name };
    for (const [, chain = ''] of JSON.stringify(retriever).matchAll(/creation_response((?:\[\\?['"][^'"\]]+['"]\]|\.\w+)+)/g)) {
      const steps = [...chain.matchAll(/\[\\?['"]([^'"\\]+)\\?['"]\]|\.(\w+)/g)].map(([, a, b]) => a ?? b ?? '');
      putAt(answer, steps, name);
    }
    return answer;
  }

  /** How an export is, and where its files are. */
  state(session: AirbyteSession, retriever: Part, request: Received, purpose: string): object {
    const number = this.#numberIn(request);
    const job = this.#jobs[number - 1];
    const isDone = purpose === 'targets' || (job !== undefined && job.looks++ > 0);
    const answer: Record<string, unknown> = {};
    const put = (member: string, value: unknown): void => {
      const extractor = partOf(retriever[member]);
      const path = evaluateTexts(
        Array.isArray(extractor?.['field_path']) ? extractor['field_path'] : [],
        scopeOf(session.config, extractor),
      );
      if (path.length > 0) putAt(answer, path, value);
    };
    put('status_extractor', textsAt(partOf(retriever['status_mapping']), isDone ? 'completed' : 'running')[0]);
    put('download_target_extractor', isDone ? [`https://files.invalid/job-${number}/1`] : null);
    return answer;
  }

  /** The request that asked for the export whose file is fetched. */
  behind(request: Received): Received | undefined {
    return this.#jobs[this.#numberIn(request) - 1]?.request;
  }

  #numberIn({ url, body }: Received): number {
    return Number(/job-(\d+)/.exec(`${url.href} ${body}`)?.[1] ?? this.#jobs.length);
  }
}

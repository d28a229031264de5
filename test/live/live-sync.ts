import assert from 'node:assert/strict';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { callService } from '../support/service.ts';
import { until } from '../support/until.ts';
import type { LiveEnd } from './ends.ts';

const AREA = '/api/v1/datasync';
const PATIENCE = 120_000;

// oxlint-disable-next-line no-explicit-any -- bodies of every shape
type Body = any;

/** How a stream of the present run stands. */
export interface Standing {
  readonly name: string;
  readonly live: 'loading' | 'live' | 'stopped' | undefined;
  readonly error: Body;
}

/** One live synchronization, by the API of a service that may be dead at any moment. */
export class LiveSync {
  id = '';
  readonly tables: string[];
  readonly #ends: { source: LiveEnd; target: LiveEnd };
  readonly #more: object;

  constructor(ends: { source: LiveEnd; target: LiveEnd }, tables: readonly string[], more: object = {}) {
    this.#ends = ends;
    this.tables = [...tables];
    this.#more = more;
  }

  async create(service: Reachable): Promise<void> {
    const { source, target } = this.#ends;
    const add = async ({ type, config }: LiveEnd, name: string): Promise<string> =>
      (await this.demand(service, 'POST', '/sources', { name, type, config })).id;
    const ends = { source_id: await add(source, 'source'), target_id: await add(target, 'target') };
    // Only what happens at the source may empty a target here.
    const guard = { max_delete_percent: 100, allow_empty: true };
    const body = { name: 'live', ...ends, guard, schema_changes: 'apply', streams: this.#streams(), ...this.#more };
    this.id = (await this.demand(service, 'POST', '/sync', body)).id;
  }

  /** Follows one more table, or fewer. Undefined when there was no answer: then nobody knows whether it is so. */
  edit(service: Reachable): Promise<Body> {
    return this.ask(service, 'PUT', `/sync/${this.id}`, { streams: this.#streams() });
  }

  reset(service: Reachable, table: string): Promise<Body> {
    return this.ask(service, 'POST', `/sync/${this.id}/reset`, { streams: [this.#ends.source.named(table)] });
  }

  look(service: Reachable): Promise<Body> {
    return this.ask(service, 'GET', `/sync/${this.id}`);
  }

  runs(service: Reachable): Promise<Body[]> {
    return this.demand(service, 'GET', `/sync/${this.id}/runs?limit=1000`);
  }

  /** What its log tells of faults. */
  faults(service: Reachable): Promise<Body[]> {
    return this.demand(service, 'GET', `/logs?sync_id=${this.id}&level=error&limit=20`);
  }

  /** All that helps to find out why something did not come: how it stands, and what its log tells. */
  async story(service: Reachable): Promise<string> {
    const told = await this.demand(service, 'GET', `/logs?sync_id=${this.id}&limit=40`);
    const all = { sync: await this.look(service), streams: await this.standings(service), faults: await this.faults(service), told };
    return `${JSON.stringify(all, undefined, 1)}\n${service.logs()}`;
  }

  async standings(service: Reachable): Promise<Standing[] | undefined> {
    const sync = await this.look(service);
    const id = sync?.current_run?.id;
    const run = id === undefined ? undefined : await this.ask(service, 'GET', `/runs/${id}`);
    return run?.streams;
  }

  /** How much its runs have done. It stands still when nothing more is done. */
  async progress(service: Reachable): Promise<unknown> {
    return (await this.runs(service)).map(({ id, totals }) => [id, totals]);
  }

  /** Waits until all streams follow the log. */
  async live(service: Reachable, patience = PATIENCE): Promise<void> {
    let last: Body;
    try {
      await until(
        'all streams to be live',
        async () => {
          last = await this.standings(service);
          return last?.length === this.tables.length && last.every(({ live }: Standing) => live === 'live');
        },
        patience,
      );
    } catch (error) {
      throw new Error(
        `${(error as Error).message}; they are ${JSON.stringify(last)}; ${JSON.stringify(await this.look(service))}\n${service.logs()}`,
        { cause: error },
      );
    }
  }

  async demand(service: Reachable, method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.ask(service, method, path, body);
    assert.ok(answer !== undefined, `no answer to ${method} ${path}`);
    return answer;
  }

  /** Undefined when there was no answer, or none that says anything. */
  async ask(service: Reachable, method: string, path: string, body?: unknown): Promise<Body> {
    const reply = await callService(service.url, service.adminKey, method, AREA + path, body === undefined ? {} : { body }).catch(
      () => undefined,
    );
    if (reply === undefined || reply.status === 503 || reply.status === 409) return undefined;
    // What was answered stands first: the logs may be cut where this is shown.
    assert.ok(
      reply.status < 300,
      `${method} ${path} was answered ${reply.status} ${reply.text}\nto ${JSON.stringify(body)}\n${service.logs()}`,
    );
    return reply.body.data;
  }

  #streams(): object[] {
    const { source, target } = this.#ends;
    return this.tables.map((table) => ({ source: source.named(table), target: target.named(table), mode: 'cdc' }));
  }
}

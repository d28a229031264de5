import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './databases.ts';
import type { Reachable, ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from './process.ts';

const ADMIN_KEY = 'the-admin-key-of-a-cluster';
const SECRET_KEY = Buffer.alloc(32, 'cluster').toString('base64');

export interface Node extends ServiceProcess {
  readonly name: string;
  /** Whether nobody is to send it requests for now, as it is dead, asleep or cut off. */
  isAway: boolean;
}

/** Several nodes on one database, each a process of its own. A request to the cluster goes to any node that is there. */
export class Cluster implements Reachable {
  readonly place: Place;
  readonly adminKey = ADMIN_KEY;
  readonly nodes: Node[] = [];
  readonly #environment: Record<string, string>;
  readonly #program: string | undefined;
  #turn = 0;
  #started = 0;

  constructor(place: Place, environment: Record<string, string> = {}, program?: string) {
    this.place = place;
    this.#environment = environment;
    this.#program = program;
  }

  get present(): Node[] {
    return this.nodes.filter(({ isAway }) => !isAway);
  }

  /** The nodes that are there, in turns. */
  get url(): string {
    const { present } = this;
    return present[this.#turn++ % present.length]?.url ?? '';
  }

  logs(): string {
    return this.nodes.map((node) => `${node.name}:\n${node.logs()}`).join('\n');
  }

  /** Starts one more, with a data directory of its own; it may reach the database by another port. */
  async start(environment: Record<string, string> = {}, port?: number): Promise<Node> {
    const name = `node-${++this.#started}`;
    const dataDir = join(this.place.dataDir, name);
    mkdirSync(dataDir);
    const process = await startProcess(
      { ...this.place, dataDir, databaseUrl: this.#databaseFor(name, port) },
      {
        environment: { SYNCLINE_ADMIN_KEY: ADMIN_KEY, SYNCLINE_SECRET_KEY: SECRET_KEY, ...this.#environment, ...environment },
        ...(this.#program && { program: this.#program }),
      },
    );
    const node: Node = Object.assign(Object.create(process) as ServiceProcess, { name, isAway: false });
    this.nodes.push(node);
    return node;
  }

  async startMany(count: number): Promise<Node[]> {
    return Promise.all(Array.from({ length: count }, () => this.start()));
  }

  /** `kill -9`; the node is gone for good. */
  async kill(node: Node): Promise<void> {
    this.#remove(node);
    await node.kill();
  }

  /** SIGTERM, and waits until it has put everything away. */
  async stop(node: Node): ReturnType<ServiceProcess['stop']> {
    this.#remove(node);
    return node.stop();
  }

  async killAll(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }

  /** The database as a node of this name sees it: its connections tell which node it is. */
  #databaseFor(name: string, port?: number): string {
    const url = new URL(this.place.databaseUrl ?? '');
    url.searchParams.set('application_name', name);
    if (port !== undefined) url.port = String(port);
    return url.href;
  }

  #remove(node: Node): void {
    node.isAway = true;
    this.nodes.splice(this.nodes.indexOf(node), 1);
  }
}

/** SIGSTOP: it does nothing any more, and knows nothing of it. */
export function putToSleep(node: Node): void {
  node.isAway = true;
  process.kill(node.pid, 'SIGSTOP');
}

/** SIGCONT: it goes on as if nothing had been. */
export function wakeUp(node: Node): void {
  process.kill(node.pid, 'SIGCONT');
  node.isAway = false;
}

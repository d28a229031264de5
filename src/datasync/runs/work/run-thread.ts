// A thread that does runs: one at a time, or many that are live and mostly wait. Whatever they do, the API stays quick.
import { parentPort, workerData } from 'node:worker_threads';
import { loadConnector } from '../../../connectors/load.ts';
import { executeRun } from '../../../engine/execute.ts';
import type { RunOrder } from '../../../engine/run.ts';
import { giveWay } from '../../../lib/give-way.ts';
import { type MainThread, mainThreadOver, portsOf } from './run-ports.ts';
import type { FromRunThread, RunThreadSettings, ToRunThread } from './run-messages.ts';

/** A run that is under way here. */
interface WorkHere {
  readonly main: MainThread;
  readonly stopping: AbortController;
}

const settings = workerData as RunThreadSettings;
const under = new Map<number, WorkHere>();
const send = (message: FromRunThread): void => parentPort?.postMessage(message);

giveWay();

parentPort?.on('message', (message: ToRunThread) => {
  if ('warm' in message) void Promise.allSettled(message.warm.map((type) => loadConnector(type)));
  else if ('order' in message) void run(message.work, message.order);
  else if ('stop' in message) under.get(message.work)?.stopping.abort(message.stop);
  else under.get(message.work)?.main.settle(message);
});

async function run(work: number, order: RunOrder): Promise<void> {
  const stopping = new AbortController();
  const main = mainThreadOver((message) => send({ ...message, work }));
  under.set(work, { main, stopping });
  const { ports, close } = portsOf(order, settings, main, stopping.signal);
  const outcome = await executeRun(order, ports, stopping.signal);
  close();
  under.delete(work);
  send({ outcome, work });
}

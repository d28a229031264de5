import { type LaunchOptions, launchService, type ServiceProcess } from '../../src/cli/prove/service-process.ts';
import type { Place } from './databases.ts';

export type ProcessOptions = Pick<LaunchOptions, 'under' | 'program'> & { environment?: Record<string, string> };

const PATIENCE = 60_000;

/** Starts `syncline start` on this place and waits until `/readyz` says so. Throws, with its logs, when it ends before. */
export async function startProcess(place: Place, options: ProcessOptions = {}): Promise<ServiceProcess> {
  const launched = launch(place, options);
  try {
    await launched.ready;
  } catch (error) {
    await launched.service.kill();
    throw error;
  }
  return launched.service;
}

/** The same without waiting, for a start that is meant to fail. */
export function launch(place: Place, { environment, ...options }: ProcessOptions): { service: ServiceProcess; ready: Promise<void> } {
  const { service, ready } = launchService({
    ...options,
    dataDir: place.dataDir,
    // Nothing of the environment that the tests run in, where a setting could be hidden.
    environment: {
      PATH: process.env['PATH'],
      // What the tests have compiled already it need not compile once more.
      ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
      ...(place.databaseUrl && { DATABASE_URL: place.databaseUrl }),
      ...environment,
    },
  });
  const sure = ready.then(() => demandReady(service));
  sure.catch(() => {});
  return { service, ready: sure };
}

async function demandReady(service: ServiceProcess): Promise<void> {
  const answer = await fetch(`${service.url}/readyz`, { signal: AbortSignal.timeout(PATIENCE) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`The service listens but is not ready: ${text}\n${service.logs()}`);
}

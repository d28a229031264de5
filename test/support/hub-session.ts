import { connector } from '../../src/connectors/hub/connector.ts';
import type { Session } from '../../src/connectors/session.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { createShopPort } from '../../src/shop/hub/port.ts';
import type { Service } from './service.ts';

/** The shop of a service, as synchronizations read and write it. */
export function openHub(service: Service): Promise<Session> {
  return connector.open({} as never, {
    reach: reachOf('any'),
    roots: rootsOf({ folders: [], dataDir: '/nowhere' }),
    signal: new AbortController().signal,
    shop: createShopPort({ db: service.app.db, clock: systemClock, currency: 'EUR' }),
  });
}

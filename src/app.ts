import { auditRoutes } from './audit/routes.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { openDatabase } from './db/open.ts';
import { connectorRoutes } from './datasync/connectors/routes.ts';
import { keyringOf } from './datasync/sources/keyring-file.ts';
import { createProber } from './datasync/sources/prober.ts';
import { sourceRoutes } from './datasync/sources/routes.ts';
import { createSourceService } from './datasync/sources/service.ts';
import { eventRoutes } from './events/routes.ts';
import { addDocs } from './http/docs.ts';
import { addHealth } from './http/health.ts';
import { openApiDocument } from './http/openapi.ts';
import { RateLimiter } from './http/rate-limit.ts';
import type { Route } from './http/route.ts';
import { buildServer } from './http/server.ts';
import { makeAdminKey } from './keys/admin-key.ts';
import { createAuthenticator } from './keys/authenticator.ts';
import { jwtVerifier } from './keys/oidc.ts';
import { keyRoutes } from './keys/routes.ts';
import { type Clock, isoTime, systemClock } from './lib/clock.ts';
import type { Logger } from './lib/log.ts';
import { forgetExpiredKeys } from './shop/orders/create.ts';
import { orderRoutes } from './shop/orders/routes.ts';
import { createShopPort } from './shop/hub/port.ts';
import { productRoutes } from './shop/products/routes.ts';
import { VERSION } from './version.ts';

const TIMEOUTS = { headers: 15_000, idle: 60_000, request: 300_000 };
const HOUSEKEEPING_INTERVAL = 60_000;

export interface AppOptions {
  config: Config;
  log: Logger;
  clock?: Clock;
  timeouts?: Partial<typeof TIMEOUTS>;
  /** Whether sources of types that are for tests can be made. */
  hiddenTypes?: boolean;
}

export interface App {
  readonly routes: readonly Route[];
  readonly db: Database;
  /** The admin key made at this start, if one was; it is shown nowhere else but in its file. */
  readonly newAdminKey: string | undefined;
  /** Starts to listen and answers with the address. */
  listen(): Promise<string>;
  /** Lets what is under way finish, then lets go of everything. */
  close(): Promise<void>;
}

/** Builds a running Syncline from its configuration. */
export async function buildApp(options: AppOptions): Promise<App> {
  const db = await openDatabase(options.config, options.log);
  try {
    return await assemble(db, options);
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function assemble(db: Database, { config, log, clock = systemClock, timeouts, hiddenTypes = false }: AppOptions): Promise<App> {
  const newAdminKey = config.adminKey === undefined ? await makeAdminKey(db, config.dataDir, clock) : undefined;
  const verifyJwt = config.oidc && jwtVerifier(config.oidc, log);
  const authenticator = createAuthenticator({ db, clock, log, adminKey: config.adminKey, verifyJwt });
  const prober = createProber({
    networks: config.networks,
    roots: { folders: config.fileRoots, dataDir: config.dataDir },
    shop: createShopPort({ db, clock, currency: config.currency }),
    log,
  });
  const sources = createSourceService({ db, clock, log, prober, hiddenTypes, keyring: keyringOf(config.secretKeys, config.dataDir) });

  const routes: Route[] = [
    ...orderRoutes({ db, clock, currency: config.currency }),
    ...productRoutes({ db, clock, log }),
    ...sourceRoutes({ db, clock, sources }),
    ...connectorRoutes(),
    ...eventRoutes(db),
    ...keyRoutes({ db, clock, authenticator }),
    ...auditRoutes(db),
  ];
  const { fastify, refuseRequests } = buildServer({
    routes,
    authenticate: authenticator.authenticate,
    rateLimiter: new RateLimiter(config.rateLimit),
    log,
    maxInFlight: config.maxInFlight,
    timeouts: { ...TIMEOUTS, ...timeouts },
  });
  addHealth(fastify, () => db.ping());
  addDocs(fastify, openApiDocument(routes, VERSION));

  sources.renewSecrets().catch((error: unknown) => log.warn({ err: error }, 'could not look after the secrets of sources'));
  const housekeeping = setInterval(() => {
    keepHouse(db, clock).catch((error: unknown) => log.warn({ err: error }, 'housekeeping failed; it will be tried again'));
  }, HOUSEKEEPING_INTERVAL).unref();

  return {
    routes,
    db,
    newAdminKey,
    listen: () => fastify.listen({ host: config.host, port: config.port }),
    close: async () => {
      refuseRequests();
      clearInterval(housekeeping);
      await fastify.close();
      await prober.close();
      await authenticator.close().catch((error: unknown) => log.warn({ err: error }, 'could not write down when keys were last used'));
      await db.close();
    },
  };
}

/** Removes what is over, in bites that hold up nobody. */
async function keepHouse(db: Database, clock: Clock): Promise<void> {
  const most = 1000;
  while ((await db.write(forgetExpiredKeys, { now: isoTime(clock()), most })) === most);
}

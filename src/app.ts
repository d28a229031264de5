import { apiDocument } from './api-document.ts';
import { createSender } from './alerts/channels/send.ts';
import { startAlerts } from './alerts/evaluator.ts';
import { alertRoutes } from './alerts/routes.ts';
import { createAlertService } from './alerts/service.ts';
import { addAssistants } from './assistants/endpoint.ts';
import { createReadTrail } from './audit/reads.ts';
import { auditRoutes } from './audit/routes.ts';
import { configJsonSchema } from './configuration/json-schema.ts';
import { configurationRoutes } from './configuration/routes.ts';
import { type ConfigurationService, createConfigurationService } from './configuration/service.ts';
import type { Config } from './config.ts';
import { type DatabaseClock, openDatabaseClock } from './db/database-clock.ts';
import type { Database } from './db/database.ts';
import { schemaProblem } from './db/migrate.ts';
import { openDatabase } from './db/open.ts';
import { connectorRoutes } from './datasync/connectors/routes.ts';
import { hookDoor } from './datasync/hooks/door.ts';
import { createKnownHooks } from './datasync/hooks/known-hooks.ts';
import { createHookPort } from './datasync/hooks/port.ts';
import { createHookTally } from './datasync/hooks/refusals.ts';
import { hookRoutes } from './datasync/hooks/routes.ts';
import { createHookService } from './datasync/hooks/service.ts';
import { eraseFromLogs } from './datasync/logs/erase.ts';
import { createFollower } from './datasync/logs/follow.ts';
import { logRoutes } from './datasync/logs/routes.ts';
import { createLogStore, type LogStore } from './datasync/logs/store.ts';
import { createProcessFigures } from './datasync/metrics/process-figures.ts';
import { metricRoutes } from './datasync/metrics/routes.ts';
import { runRoutes } from './datasync/runs/routes.ts';
import { type Runner, startRunner } from './datasync/runs/work/runner.ts';
import { eventsFor } from './datasync/runs/told/veil-events.ts';
import { startReleasing } from './datasync/releases/releasing.ts';
import { renewReleases } from './datasync/releases/renewing.ts';
import { createRunWatch } from './datasync/runs/told/watch.ts';
import { sampleRoutes } from './datasync/sample/routes.ts';
import { keyringOf } from './datasync/sources/keyring-file.ts';
import { createSourceSecrets } from './datasync/sources/kept-secrets.ts';
import { createProber } from './datasync/sources/prober.ts';
import { sourceRoutes } from './datasync/sources/routes.ts';
import { createSourceService } from './datasync/sources/service.ts';
import { shareProber } from './datasync/sources/shared-prober.ts';
import { syncRoutes } from './datasync/syncs/routes.ts';
import { createSyncService } from './datasync/syncs/service.ts';
import { updateSource } from './datasync/syncs/update-source.ts';
import { eventRoutes } from './events/routes.ts';
import { type Certificate, loadCertificate, warnOfDates, watchCertificate } from './http/certificate.ts';
import { clientAddressBehind } from './http/callers/client-address.ts';
import { type MetricsPort, openMetricsPort } from './http/metrics-port.ts';
import { addDashboard, addressFor } from './http/pages/dashboard.ts';
import { addDocs } from './http/pages/docs.ts';
import { addHealth } from './http/pages/health.ts';
import { connectionsWithinFileLimit } from './http/connections/file-limit.ts';
import { RateLimiter } from './http/callers/rate-limit.ts';
import { sessionCookies } from './http/callers/session-cookie.ts';
import { RefusedKeys } from './http/callers/refused-keys.ts';
import { RequestTally } from './http/connections/request-tally.ts';
import type { Door } from './http/door.ts';
import type { Route } from './http/route.ts';
import { buildServer, type Timeouts } from './http/server.ts';
import { Traffic } from './http/connections/traffic.ts';
import { openDispatcher } from './jobs/open.ts';
import type { Duty } from './jobs/duty.ts';
import { telling } from './jobs/hints.ts';
import { makeAdminKey } from './keys/admin-key.ts';
import { createAuthenticator } from './keys/authenticator.ts';
import { keyIdOf } from './keys/format.ts';
import { createOidc } from './keys/oidc.ts';
import { raiseRefusedKeys } from './keys/refused.ts';
import { keyRoutes } from './keys/routes.ts';
import { signInPages } from './keys/sign-in/pages.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { newId } from './lib/ids.ts';
import type { Logger } from './lib/log.ts';
import type { Keyring } from './lib/secrets.ts';
import { startHousekeeping } from './housekeeping.ts';
import { tellOpenDataDir, watchDataDir } from './nodes/data-dir.ts';
import { joinNodes, type Membership } from './nodes/membership.ts';
import { hasCompany } from './nodes/queries.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { otherFamilies } from './other-figures.ts';
import { tellMissingRoots } from './outside/missing-roots.ts';
import { startErasing } from './shop/customers/erase/erasing.ts';
import { customerRoutes } from './shop/customers/routes.ts';
import { startFinding } from './shop/orders/find/follower.ts';
import { orderRoutes } from './shop/orders/routes.ts';
import { withOrders } from './shop/orders/told.ts';
import { createShopPort } from './shop/hub/port.ts';
import { productRoutes } from './shop/products/routes.ts';
import { VERSION } from './version.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { createWebhookService } from './webhooks/service.ts';
import { webhookStateRoutes } from './webhooks/state-routes.ts';
import { createTestEndpoint } from './webhooks/test-endpoint.ts';
import { type Deliveries, startDeliveries } from './webhooks/delivery/deliveries.ts';
import { DeliveryFigures } from './webhooks/delivery/figures.ts';
import type { Timing } from './webhooks/delivery/schedule.ts';

const TIMEOUTS: Timeouts = { headers: 15_000, idle: 60_000, request: 300_000, body: 20_000, answer: 30_000 };
/** A table of so many rows takes long enough that it pays to share it. */
const SPLIT_ROWS = 2_000_000;

export interface AppOptions {
  config: Config;
  log: Logger;
  clock?: Clock;
  timeouts?: Partial<Timeouts>;
  /** Whether sources of types that are for tests can be made. */
  hiddenTypes?: boolean;
  /** When deliveries are tried again, and after how many milliseconds an undo is answered before it is done: for tests. */
  deliveryTiming?: Partial<Timing>;
  undoAnswer?: number;
}

export interface App {
  readonly routes: readonly Route[];
  readonly doors: readonly Door[];
  readonly db: Database;
  readonly logs: LogStore;
  readonly configuration: ConfigurationService;
  /** The admin key made at this start, if one was; it is shown nowhere else but in its file. */
  readonly newAdminKey: string | undefined;
  /** The id of this node. */
  readonly node: string;
  /** Resolves when this node cannot go on, with the reason. */
  readonly outdated: Promise<Error>;
  /** Starts to listen and answers with the address. */
  listen(): Promise<string>;
  /** Lets what is under way finish, then lets go of everything. */
  close(): Promise<void>;
}

/** Builds a running Syncline from its configuration. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { config, log } = options;
  const certificate = config.tls && loadCertificate(config.tls);
  const db = await openDatabase(config, log);
  let nodes: Membership | undefined;
  let time: DatabaseClock | undefined;
  try {
    const { role, adminKey } = config;
    const maxRuns = role === 'api' ? 0 : config.maxRuns;
    const keyring = keyringOf(config.secretKeys, config.dataDir);
    tellOpenDataDir(config.dataDir, log);
    tellMissingRoots({ folders: config.fileRoots, dataDir: config.dataDir }, log);
    time = await openDatabaseClock(db, log, options.clock);
    const { id } = newId('nod', time.clock());
    // First: a node that must not work beside the others must not touch anything either.
    nodes = await joinNodes({
      id,
      role,
      version: VERSION,
      maxRuns,
      dataDir: config.dataDir,
      keyring,
      adminKey,
      db,
      clock: options.clock ?? systemClock,
      log,
    });
    return await assemble(db, nodes, keyring, time, certificate, options);
  } catch (error) {
    time?.close();
    await nodes?.leave();
    await db.close();
    throw error;
  }
}

async function assemble(
  db: Database,
  nodes: Membership,
  keyring: Keyring,
  time: DatabaseClock,
  certificate: Certificate | undefined,
  { config, log, timeouts, hiddenTypes = false, deliveryTiming, undoAnswer }: AppOptions,
): Promise<App> {
  const { clock } = time;
  const serves = config.role !== 'worker';
  const runs = config.role !== 'api';
  const dispatcher = await openDispatcher(db, log);
  const { hints } = dispatcher;
  const newAdminKey = serves && config.adminKey === undefined ? await makeAdminKey(db, config.dataDir, clock) : undefined;
  const oidc = config.oidc && createOidc(config.oidc, log);
  const { adminKey } = config;
  const authenticator = createAuthenticator({ db, clock, log, adminKey, verifyJwt: oidc?.authenticate, issuer: oidc?.issuer });
  hints.listen('keys', () => authenticator.forget());
  // What connectors may reach, wherever they work.
  const reach = {
    networks: config.networks,
    roots: { folders: config.fileRoots, dataDir: config.dataDir },
    hooks: createHookPort(db),
    secrets: createSourceSecrets({ db, keyring }),
    shop: createShopPort({ db: telling(db, hints, 'shop'), clock, currency: config.currency }),
  };
  const prober = createProber({ ...reach, memory: config.runMemory, log });
  const sharedProber = shareProber(prober);
  const mostPerKey = config.sourcesPerKey;
  const sources = createSourceService({ db, clock, log, prober: sharedProber, hiddenTypes, keyring, mostPerKey, updateSource });
  const webhooks = createWebhookService({
    db: telling(db, hints, 'webhooks'),
    clock,
    log,
    keyring,
    prober: sharedProber,
    networks: config.networks,
    mostPerKey: config.webhooksPerKey,
    endingsHeeded: async () => deliveries?.endingsHeeded(),
  });

  const sender = createSender({ networks: config.networks, publicUrl: config.publicUrl });
  const alerts = createAlertService({ db, clock, log, keyring, sender, mostPerKey: config.alertsPerKey });
  const hooks = createHookService({ db, clock, log, keyring });
  const { syncsPerKey, publicUrl, sessionHours } = config;
  const cookies = sessionCookies(config);
  const configuration = createConfigurationService({ db, hints, clock, sources, hooks, webhooks, alerts, syncsPerKey });
  const knownHooks = createKnownHooks({ db, clock, keyring });
  hints.listen('hooks', () => knownHooks.forget());
  const hookTally = createHookTally({ db, clock, log });

  const logs = createLogStore({ db, clock, log });
  const follower = createFollower({ db, logs, log });
  const requests = new RequestTally();
  const traffic = new Traffic(config.maxInFlight);
  const processFigures = createProcessFigures();

  const editedSchema = await schemaProblem(db.read);
  if (editedSchema !== undefined) log.warn(editedSchema);
  // The embedded database looks after its files itself.
  const dataDir = db.shared && watchDataDir(config.dataDir, log);
  const watch = createRunWatch();
  let runner: Runner | undefined;
  let metricsPort: MetricsPort | undefined;
  let deliveries: Deliveries | undefined;
  const deliveryFigures = new DeliveryFigures();
  let [watchman, releasing, finding, erasing]: (Duty | undefined)[] = [];
  const reads = createReadTrail({ db, clock, log });
  const node = nodes.self.id;
  const tracer = config.traces && (await import('./traces/tracer.ts')).createTracer(config.traces, { node, version: VERSION, log });
  const refusedKeys = new RefusedKeys({
    perMinute: config.wrongKeys,
    log,
    keyIdOf,
    raise: (burst) => db.write(raiseRefusedKeys, { now: clock(), node, burst }),
  });
  const keys = telling(db, hints, 'keys');
  const signIn = signInPages({ db: keys, clock, log, keyring, cookies, sessionHours, publicUrl, oidc, settings: config.oidcSignIn });
  const { routes: ownMetrics, scrape } = metricRoutes({
    db,
    clock,
    requests,
    traffic,
    refusedKeys,
    processFigures,
    version: VERSION,
    others: otherFamilies({ db, clock, hooks: hookTally, deliveries: deliveryFigures, tracer, signIns: signIn.figures }),
  });
  const resources = (): Route[] => [
    ...orderRoutes({ db: telling(db, hints, 'shop'), clock, currency: config.currency, log }),
    ...customerRoutes({ db, clock }),
    ...productRoutes({ db: telling(db, hints, 'shop'), clock, log }),
    ...sourceRoutes({ db, clock, sources }),
    ...sampleRoutes({ clock, roots: reach.roots }),
    ...connectorRoutes(),
    ...syncRoutes({
      db: telling(db, hints, 'syncs'),
      clock,
      syncs: createSyncService({ db: telling(db, hints, 'syncs'), clock, sources, mostPerKey: syncsPerKey }),
    }),
    ...hookRoutes({
      db: telling(db, hints, 'hooks'),
      clock,
      hooks: createHookService({ db: telling(db, hints, 'hooks'), clock, log, keyring }),
      publicUrl,
    }),
    ...runRoutes({ db: telling(db, hints, 'runs'), clock, watch, logs, log, sources, prober: sharedProber, longestAnswer: undoAnswer }),
    ...logRoutes({ db, follower }),
    ...ownMetrics,
    ...alertRoutes({ db, clock, alerts }),
    ...eventRoutes(db, withOrders, eventsFor),
    ...webhookRoutes({ db, clock, webhooks }),
    ...webhookStateRoutes({ db: telling(db, hints, 'webhooks'), clock, webhooks }),
    ...deliveryRoutes({
      db,
      keyring,
      webhooks,
      whole: withOrders,
      veil: eventsFor,
      testEndpoint: createTestEndpoint({ clock, networks: config.networks }),
    }),
    ...configurationRoutes({ configuration, publicUrl }),
    ...keyRoutes({ db: keys, clock, cookies, sessionHours }),
    ...auditRoutes(db),
    ...nodeRoutes({ db, clock, self: nodes.self, problem: () => db.problem?.() ?? dataDir?.problem() ?? editedSchema }),
  ];
  const routes = serves ? resources() : ownMetrics;
  const doors = serves ? [hookDoor({ db, clock, hints, known: knownHooks, tally: hookTally })] : [];
  const { fastify, refuseRequests, useCertificate, idle } = buildServer({
    routes,
    doors,
    authenticate: authenticator.authenticate,
    rateLimiter: new RateLimiter(config.rateLimit),
    refusedKeys,
    cookies,
    tellRead: reads.tell,
    requests,
    log,
    traffic,
    maxConnections: Math.min(config.maxConnections, connectionsWithinFileLimit()),
    certificate,
    clientAddress: clientAddressBehind(config.trustedProxies),
    timeouts: { ...TIMEOUTS, ...timeouts },
    spans: tracer,
    ...(serves && { rewriteUrl: addressFor }),
    ...(!serves && {
      nothingElse: 'This node is a worker: it answers to /healthz, /readyz and for its metrics only. Ask a node with the role api.',
    }),
  });
  if (config.tls && certificate) warnOfDates(config.tls, certificate, log);
  const stopWatching = config.tls && watchCertificate(config.tls, useCertificate, log);
  addHealth(fastify, () => db.ping());
  if (serves) {
    addDocs(fastify, () => apiDocument({ routes, doors }, config.publicUrl), configJsonSchema);
    addDashboard(fastify);
    signIn.addTo(fastify);
    const { supplies } = traffic;
    addAssistants(fastify, { routes, supplies, requests, keyring, clock, publicUrl: config.publicUrl, version: VERSION, log });
  }

  const releases = { renewSecrets: () => renewReleases({ db, log, keyring }) };
  const stopHousekeeping = startHousekeeping({ db, clock, config, log }, { alerts, hooks, sources, releases, endpoints: webhooks });

  return {
    routes,
    doors,
    db,
    logs,
    configuration,
    newAdminKey,
    node: nodes.self.id,
    outdated: nodes.outdated,
    listen: async () => {
      const address = await fastify.listen({ host: config.host, port: config.port });
      metricsPort = await openMetricsPort({ host: config.host, port: config.metricsPort, scrape, log });
      const { maxRuns, runsPerSource, runsPerKey, streamsPerRun, runMemory } = config;
      if (runs) {
        // Parts pay where others take some of them.
        const splitRows = async (): Promise<number> =>
          config.splitRows ?? ((await hasCompany(db.read, clock(), nodes.self.id)) ? SPLIT_ROWS : 0);
        const limits = { maxRuns, runsPerSource, runsPerKey, streamsPerRun, splitRows, runMemory };
        runner = startRunner({ node: nodes.self.id, db, dispatcher, clock, log, logs, sources, watch, spans: tracer, ...reach, ...limits });
        const told = { networks: config.networks, whole: withOrders, veil: eventsFor, figures: deliveryFigures, timing: deliveryTiming };
        deliveries = startDeliveries({ node, db, keyring, clock, log, hints, tracer, ...told });
        finding = startFinding({ node, db, clock, log });
        const { customerDays } = config;
        erasing = startErasing({ node, db, clock, log, customerDays, eraseFromLogs: (texts) => db.write(eraseFromLogs, texts) });
        releasing = startReleasing({ node, db, clock, log, logs, sources, prober });
        watchman = startAlerts({ node, db, clock, log, hints, keyring, sender, dataDir: config.dataDir });
      }
      return address;
    },
    close: async () => {
      refuseRequests();
      prober.stop();
      stopWatching?.();
      stopHousekeeping();
      follower.close();
      await Promise.all([
        fastify.close(),
        metricsPort?.close(),
        runner?.close(),
        watchman?.stop(),
        releasing?.stop(),
        finding?.stop(),
        erasing?.stop(),
        deliveries?.close(),
      ]);
      refusedKeys.close();
      await reads.close();
      await hookTally.close();
      await prober.close();
      // A client that has gone does not end what it asked for.
      await idle();
      await authenticator.close().catch((error: unknown) => log.warn({ err: error }, 'could not write down when keys were last used'));
      processFigures.close();
      dataDir?.close();
      await tracer?.close();
      await logs.close();
      await dispatcher.close();
      await nodes.leave();
      time.close();
      await db.close();
    },
  };
}

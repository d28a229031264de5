import { existsSync } from 'node:fs';
import { buildApp } from '../app.ts';
import { type Config, withRole } from '../config.ts';
import { adminKeyFile } from '../keys/admin-key.ts';
import { collectGarbageWhenQuiet } from '../lib/collect-garbage.ts';
import { createLog } from '../lib/log.ts';
import { readArguments } from './arguments/arguments.ts';
import { applyAtStart } from './configuration/at-start.ts';
import { CliError, faultOf } from './errors.ts';

const SHUTDOWN_LIMIT = 25_000;
/** An ordinary exit ends its threads in far less, on a busy machine too. */
const EXIT_LIMIT = 5_000;

/** Runs the service until it is told to stop. */
export async function start(args: string[], given: Config): Promise<number> {
  const { values } = readArguments(args, { role: { type: 'string' } });
  const config = withRole(given, values.role);
  const log = createLog(config.logLevel);
  const app = await buildApp({ config, log }).catch((error: unknown) => {
    throw new CliError(`Syncline did not start. ${faultOf(error as Error)}`);
  });
  await applyAtStart(app, config, log).catch(async (error: Error) => {
    await app.close();
    throw new CliError(`Syncline did not start: SYNCLINE_CONFIG cannot be applied.\n${faultOf(error)}`);
  });
  const address = await app.listen().catch(async (error: NodeJS.ErrnoException) => {
    await app.close();
    throw new CliError(listenFault(error, config));
  });
  greet(address, app.newAdminKey, config);
  collectGarbageWhenQuiet();

  const signalled = new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT']) process.once(name, resolve);
  });
  const reason = await Promise.race([signalled, app.outdated]);
  if (reason instanceof Error) log.error(`${reason.message} This node stops`);
  else log.info({ signal: reason }, 'stopping: finishing what is under way');
  const limit = setTimeout(() => {
    log.error('could not finish in time; what was not acknowledged is not done');
    endForSure();
  }, SHUTDOWN_LIMIT);
  await app.close();
  clearTimeout(limit);
  log.info('stopped');
  // Everything is put away. What is still there by then is a thread that does not go.
  setTimeout(endForSure, EXIT_LIMIT).unref();
  return reason instanceof Error ? 1 : 0;
}

/** A thread that is inside of native code, such as a statement of SQLite that never ends, would hold up an ordinary exit, too. */
function endForSure(): void {
  process.kill(process.pid, 'SIGKILL');
}

function greet(address: string, newAdminKey: string | undefined, config: Config): void {
  const { role, databaseUrl, dataDir } = config;
  const places =
    role === 'worker'
      ? [`Probes     ${address}/readyz`, `Metrics    ${address}/metrics`]
      : [`Dashboard  ${address}/`, `API        ${address}/api/v1`, `Reference  ${address}/docs`, ...adminKeyLines(newAdminKey, config)];
  const lines = [
    ...places,
    ...(role === 'all' ? [] : [`Role       ${role}`]),
    `Data       ${databaseUrl ? 'PostgreSQL (DATABASE_URL)' : dataDir}`,
  ];
  process.stdout.write(`\nSyncline is ready.\n\n${lines.map((line) => `  ${line}\n`).join('')}\n`);
}

function adminKeyLines(newAdminKey: string | undefined, { adminKey, dataDir }: Config): string[] {
  const file = adminKeyFile(dataDir);
  if (newAdminKey) return [`Admin key  ${newAdminKey}`, `           shown this once; kept in ${file}`];
  if (adminKey) return ['Admin key  the one in SYNCLINE_ADMIN_KEY'];
  if (existsSync(file)) return [`Admin key  as before (${file})`];
  // After a restore, or on a node that another one has started before: this program has never seen it.
  return [
    `Admin key  as before; put it into ${file}`,
    '           if it is lost, start once with SYNCLINE_ADMIN_KEY set, and make a new one',
  ];
}

function listenFault(error: NodeJS.ErrnoException & { port?: number }, { host, ...config }: Config): string {
  const isOfMetrics = error.port !== undefined && error.port === config.metricsPort && error.port !== config.port;
  const [setting, port] = isOfMetrics ? ['SYNCLINE_METRICS_PORT', config.metricsPort] : ['PORT', config.port];
  if (error.code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use. Stop what is using it, or choose another with ${setting}=${Number(port) + 1}.`;
  if (error.code === 'EACCES') return `Port ${port} may not be opened by this user. Choose one above 1023 with ${setting}.`;
  return `Syncline cannot listen on ${host}:${port}: ${error.message}. Check HOST and ${setting}.`;
}

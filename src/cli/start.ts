import { buildApp } from '../app.ts';
import type { Config } from '../config.ts';
import { adminKeyFile } from '../keys/admin-key.ts';
import { createLog } from '../lib/log.ts';
import { readArguments } from './arguments.ts';
import { CliError, faultOf } from './errors.ts';

const SHUTDOWN_LIMIT = 25_000;

/** Runs the service until it is told to stop. */
export async function start(args: string[], config: Config): Promise<number> {
  readArguments(args, {});
  const log = createLog(config.logLevel);
  const app = await buildApp({ config, log }).catch((error: unknown) => {
    throw new CliError(`Syncline did not start. ${faultOf(error as Error)}`);
  });
  const address = await app.listen().catch(async (error: NodeJS.ErrnoException) => {
    await app.close();
    throw new CliError(listenFault(error, config));
  });
  greet(address, app.newAdminKey, config);

  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT']) process.once(name, resolve);
  });
  log.info({ signal }, 'stopping: finishing what is under way');
  const limit = setTimeout(() => {
    log.error('could not finish in time; what was not acknowledged is not done');
    process.exit(1);
  }, SHUTDOWN_LIMIT);
  await app.close();
  clearTimeout(limit);
  log.info('stopped');
  return 0;
}

function greet(address: string, newAdminKey: string | undefined, config: Config): void {
  const key = newAdminKey
    ? `  Admin key  ${newAdminKey}\n             shown this once; kept in ${adminKeyFile(config.dataDir)}`
    : `  Admin key  ${config.adminKey ? 'the one in SYNCLINE_ADMIN_KEY' : `as before (${adminKeyFile(config.dataDir)})`}`;
  process.stdout.write(
    `\nSyncline is ready.\n\n  Dashboard  ${address}/\n  API        ${address}/api/v1\n  Reference  ${address}/docs\n${key}\n  Data       ${config.databaseUrl ? 'PostgreSQL (DATABASE_URL)' : config.dataDir}\n\n`,
  );
}

function listenFault(error: NodeJS.ErrnoException, { host, port }: Config): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} on ${host} is in use. Stop what is using it, or choose another with PORT=8081.`;
  if (error.code === 'EACCES') return `Port ${port} may not be opened by this user. Choose one above 1023 with PORT.`;
  return `Syncline cannot listen on ${host}:${port}: ${error.message}. Check HOST and PORT.`;
}

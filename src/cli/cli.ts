import { ConfigError, readConfig } from '../config.ts';
import { CliError } from './errors.ts';

interface CliCommand {
  usage: string;
  about: string;
  /** Loads the command, so that none pays for the others. */
  load: () => Promise<(args: string[], config: ReturnType<typeof readConfig>) => Promise<number>>;
}

const COMMANDS: Record<string, CliCommand> = {
  start: { usage: 'start', about: 'run the service', load: async () => (await import('./start.ts')).start },
};

/** Runs one command of the command line; answers the exit code. */
export async function runCli(args: string[]): Promise<number> {
  const [name = 'help', ...rest] = args;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const asked = ['help', '--help', '-h'].includes(name);
    (asked ? process.stdout : process.stderr).write(`${asked ? '' : `There is no command "${name}".\n\n`}${usage()}`);
    return asked ? 0 : 2;
  }
  try {
    return await (await command.load())(rest, readConfig(process.env));
  } catch (error) {
    if (!(error instanceof CliError || error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error instanceof CliError ? error.exitCode : 2;
  }
}

function usage(): string {
  const width = Math.max(...Object.values(COMMANDS).map((command) => command.usage.length));
  const lines = Object.values(COMMANDS).map(({ usage: form, about }) => `  syncline ${form.padEnd(width)}  ${about}\n`);
  return `Syncline keeps systems in step.\n\n${lines.join('')}\nThe settings are environment variables; the README lists them.\n`;
}

import { ConfigError, readConfig } from '../config.ts';
import { AppError } from '../lib/errors.ts';
import { VERSION } from '../version.ts';
import type { CliCommand } from './command.ts';
import { COMMANDS } from './commands.ts';
import { CliError, UsageError } from './errors.ts';
import { helpOf, overview } from './help.ts';

/** Runs one command of the command line; answers the exit code. */
export async function runCli(args: string[]): Promise<number> {
  const [name = 'help', ...rest] = args;
  if (['help', '--help', '-h'].includes(name)) return say(overview());
  if (['version', '--version', '-v'].includes(name)) return say(`${VERSION}\n`);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return complain(`There is no command "${name}".\n\n${overview()}`, 2);
  if (rest.includes('--help') || rest.includes('-h')) return say(helpOf(name, command, rest[0]));
  try {
    return await (await command.load())(rest, readConfig(process.env));
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    if (rest.includes('--json')) return complain(asJson(failure), failure.exitCode);
    return complain(`${failure.message}\n${error instanceof UsageError ? usageOf(command) : ''}`, failure.exitCode);
  }
}

/** What is meant to be read; undefined for what is our own bug. */
function failureOf(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof ConfigError) return new CliError(error.message, 2, { code: 'CONFIG', details: {} });
  if (error instanceof AppError) return new CliError(error.message, 1, { code: error.code, details: error.details });
  return undefined;
}

function usageOf({ usage }: CliCommand): string {
  return `\nUsage:\n  ${usage}\n`;
}

/** As the API tells of failures. */
function asJson({ message, told: { code, details } }: CliError): string {
  return `${JSON.stringify({ success: false, error: { code, message, details } })}\n`;
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

function complain(text: string, exitCode: number): number {
  process.stderr.write(text);
  return exitCode;
}

import type { CliCommand } from './command.ts';
import { COMMANDS } from './commands.ts';
import { waysOf } from './ways.ts';

/** What `--help` tells: of a command, or of one action of it. */
export function helpOf(name: string, command: CliCommand, given: string | undefined): string {
  const { ways, notes } = waysOf(name, command);
  const chosen = ways.filter(({ action }) => action !== undefined && action === given);
  const shown = chosen.length > 0 ? chosen : ways;
  const examples = chosen.length > 0 ? [command.examples[given ?? '']] : Object.values(command.examples).slice(0, 3);
  return [
    `To ${command.about}:`,
    ...shown.map(({ text }) => `  ${text}`),
    ...notes.map((note) => `  ${note}`),
    '',
    examples.length > 1 ? 'Examples:' : 'For example:',
    ...examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

export function overview(): string {
  const width = Math.max(...Object.values(COMMANDS).map(({ form }) => form.length));
  const lines = Object.values(COMMANDS).map(({ form, about }) => `  syncline ${form.padEnd(width)}  ${about}\n`);
  return (
    `Syncline keeps systems in sync.\n\n${lines.join('')}\n` +
    'With --help a command, and each of its actions, tells its options. With --json what is shown, and what goes wrong, is JSON.\n' +
    'The settings are environment variables; the README lists them.\n'
  );
}

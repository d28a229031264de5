import type { CliCommand } from './command.ts';

/** One way to call a command: `syncline keys list [--json]`. */
export interface Way {
  /** Undefined where the command has no actions. */
  action: string | undefined;
  text: string;
}

/** The ways to call a command, and what is to be said beside them. */
export function waysOf(name: string, { usage, examples }: CliCommand): { ways: Way[]; notes: string[] } {
  const ways: Way[] = [];
  const notes: string[] = [];
  const hasActions = !Object.hasOwn(examples, name);
  for (const line of usage.split('\n')) {
    const last = ways.at(-1);
    if (line.trimStart().startsWith(`syncline ${name}`))
      ways.push({ action: hasActions ? line.trim().split(' ')[2] : undefined, text: line.trim() });
    else if (last && notes.length === 0 && line.startsWith('      ')) last.text += `\n${line}`;
    else notes.push(line.trim());
  }
  return { ways, notes };
}

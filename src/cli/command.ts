import type { Config } from '../config.ts';

export interface CliCommand {
  /** How to call it, in short. */
  form: string;
  about: string;
  /** Every way to call it, with all options. Help for one action, and completion, are made of it: each way begins on a line of its own, and goes on where it is indented by six. */
  usage: string;
  /** One for each action; of a command without actions, under its own name. */
  examples: Readonly<Record<string, string>>;
  /** Loads the command, so that none pays for the others. */
  load: () => Promise<(args: string[], config: Config) => Promise<number>>;
}

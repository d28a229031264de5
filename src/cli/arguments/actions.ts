import type { Config } from '../../config.ts';
import { UsageError } from '../errors.ts';

export type Actions = Readonly<Record<string, (args: string[], config: Config) => Promise<number>>>;

/** Every action prints JSON instead of a table when asked. */
export const JSON_OPTION = { json: { type: 'boolean' } } as const;

/** Runs the action that the first argument names, such as `list` of `keys list`. */
export async function runAction(noun: string, actions: Actions, [name, ...args]: string[], config: Config): Promise<number> {
  if (name === undefined) throw new UsageError(`Say what to do with ${noun}: ${Object.keys(actions).join(', ')}.`);
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw new UsageError(`"${name}" is nothing that can be done with ${noun}.`);
  return action(args, config);
}

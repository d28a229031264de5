import type { Route } from '../http/route.ts';
import type { Principal } from '../http/scopes.ts';
import type { Static, TSchema } from '../lib/schema.ts';
import { Type } from '../lib/schema.ts';
import type { OwnApi } from './own-api.ts';
import type { Proposals } from './proposals.ts';
import type { Told } from './told.ts';

/** What a tool works with. */
export interface ToolCall<Input> {
  input: Input;
  api: OwnApi;
  principal: Principal;
  proposals: Proposals;
}

export interface ToolDefinition<Input extends TSchema> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** The routes that it asks, as `GET /api/v1/orders`: a key needs the scope of each of them, or of one where any will do. */
  routes: readonly string[];
  anyRoute?: boolean;
  /** What it does to the world, for the assistant's own rules: nothing is written, something is written that can be done again, something is changed. */
  effect: 'reads' | 'starts' | 'changes';
  work: (call: ToolCall<Static<Input>>) => Promise<Told>;
}

// oxlint-disable-next-line no-explicit-any -- a table of tools holds tools of every shape
export type Tool = ToolDefinition<any>;

/** Keeps the types of a tool's input together with its work. */
export function tool<Input extends TSchema>(definition: ToolDefinition<Input>): Tool {
  return definition;
}

/** Finds routes by their names. */
export type FindRoute = (name: string) => Route;

export const BASE = '/api/v1/datasync';

const idOf = (prefix: string, what: string) =>
  Type.String({ pattern: `^${prefix}_[0-9a-z]{1,40}$`, description: `The id of the ${what}: ${prefix}_…` });
export const SyncId = idOf('syn', 'synchronization');
export const RunId = idOf('run', 'run');
export const SourceId = idOf('src', 'source');

export const Streams = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'Only these streams, by their names at the source; all of them unless given.',
  }),
);

export function limitOf(most: number, fallback: number, what: string) {
  return Type.Optional(
    Type.Integer({ minimum: 1, maximum: most, default: fallback, description: `How many ${what} to show, at most ${most}.` }),
  );
}

import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '../lib/errors.ts';
import type { Static, TSchema } from '../lib/schema.ts';
import type { Principal } from './scopes.ts';

/** What came through a door. */
export interface DoorCall<Guest extends Principal> {
  guest: Guest;
  headers: IncomingHttpHeaders;
  /** As it was sent, byte by byte. */
  body: Buffer;
}

/**
 * A path that is entered without a key, as it ends in a token that is one: for systems that can be given an address and nothing else. A
 * token that is not known is answered, counted and slowed down like a key that is not.
 */
export interface DoorDefinition<Guest extends Principal, Answer extends TSchema> {
  /** Ends in `{token}`. Only POST is taken, of any content type. */
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** Bytes. */
  bodyLimit: number;
  /** Knows whose token it is; undefined for one that is unknown or has expired. */
  open: (token: string) => Guest | undefined | Promise<Guest | undefined>;
  answer: Answer;
  /** Codes beyond those that every route may answer with. */
  errors?: readonly ErrorCode[];
  examples: { answer: unknown };
  handle: (call: DoorCall<Guest>) => Promise<Static<Answer>>;
}

// oxlint-disable-next-line no-explicit-any -- doors let in guests of every kind
export type Door = DoorDefinition<any, any>;

/** Keeps the types of a door together. */
export function door<Guest extends Principal, Answer extends TSchema>(definition: DoorDefinition<Guest, Answer>): Door {
  return definition;
}

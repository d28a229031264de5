import type { Context } from '../../contract.ts';
import type { PostgresConfig } from '../manifest.ts';
import type { Links } from '../wire/links.ts';
import { heldName } from './held-names.ts';
import type { Publication } from './publication.ts';

/** What everything needs that has to do with the log of one server. */
export interface WalPlace {
  readonly config: PostgresConfig;
  readonly context: Context;
  readonly links: Links;
  /** Where streams without a schema are looked for. */
  readonly home: string;
  /** Fires when the session is closed. */
  readonly closed: AbortSignal;
  /** The end of the log that was asked for last. */
  askedEnd: bigint;
  /** Large transactions may be told before their end, where that is worth while. */
  mayTellEarly: boolean;
}

/** What the server keeps for an owner. */
export function namesFor({ config }: WalPlace, owner: string): { slot: string; publication: Publication } {
  const name = heldName(owner, config.database);
  return { slot: name, publication: config.publication ? { name: config.publication, isOurs: false } : { name, isOurs: true } };
}

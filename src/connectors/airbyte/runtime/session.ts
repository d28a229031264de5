import type { JsonObject } from '../../../lib/exact-json.ts';
import type { HttpClient } from '../../../outside/http/client.ts';
import type { Context } from '../../contract.ts';
import type { WaitingClock } from './clock.ts';
import type { CallBudget } from './request/budget.ts';
import type { ReplyCache } from './request/cache.ts';
import type { Vault } from './vault.ts';

/** What the parts of an open manifest share. */
export interface AirbyteSession {
  /** The settings, as the manifest wants them. */
  readonly config: JsonObject;
  readonly wire: HttpClient;
  readonly clock: WaitingClock;
  readonly vault: Vault;
  readonly budget: CallBudget;
  readonly cache: ReplyCache;
  /** Ends with the session. */
  readonly signal: AbortSignal;
  readonly tell: Context['tell'];
  /** Where secrets are kept that the API changes; undefined where nobody keeps them. */
  readonly secrets: Context['secrets'];
  /** Components that keep something, such as a token, are made once and shared by all requests that name them alike. */
  readonly shared: Map<string, unknown>;
}

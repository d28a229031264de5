import type { Answer, Outgoing } from '../../../../outside/http/exchange.ts';

export type Send = (outgoing: Outgoing) => Promise<Answer>;

/** A request on its way, to which credentials may be added. */
export interface Unsigned {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: Buffer | undefined;
}

/** Where a secret of the configuration that others change is kept. */
export interface SecretPlace {
  /** As it is now. */
  current(): Promise<string>;
  /** Puts another in its place, unless a third is there by now. */
  replace(old: string, by: string): Promise<void>;
}

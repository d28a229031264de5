/**
 * What a key may be allowed to do. `admin` implies all the others. `assistant:write` opens nothing by itself: an assistant that changes
 * something needs it beside the scope of the change.
 */
export const SCOPES = [
  'datasync:read',
  'datasync:write',
  'orders:read',
  'orders:write',
  'products:read',
  'products:write',
  'webhooks',
  'assistant:write',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];

/** The caller that a request comes from. */
export interface Principal {
  /** Stays the same when a key is rotated: what is bound to the caller is bound to this. */
  readonly id: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Requests a second; undefined leaves it to the configuration, 0 means no limit. */
  readonly rateLimit: number | undefined;
  /** Until when a token of an issuer is good, in milliseconds; undefined where that is known elsewhere. */
  readonly until?: number;
  /** The id of the session that a browser came in by, in the place of a key. */
  readonly session?: string;
}

export function may(principal: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return principal.scopes.has('admin') || principal.scopes.has(scope);
}

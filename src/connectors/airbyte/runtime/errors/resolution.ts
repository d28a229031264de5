/** What is done with an answer. */
export type Action =
  | 'SUCCESS'
  | 'RETRY'
  | 'FAIL'
  | 'IGNORE'
  | 'RATE_LIMITED'
  | 'RESET_PAGINATION'
  | 'REFRESH_TOKEN_THEN_RETRY'
  | 'REDUCE_PAGE_SIZE'
  | 'SPLIT_REQUEST_WINDOW';

export interface Resolution {
  readonly action: Action;
  /** Whose fault it is, as the manifest says. */
  readonly failure?: 'config_error' | 'system_error' | 'transient_error' | undefined;
  /** The manifest's own words for it. */
  readonly message?: string | undefined;
}

const FAIL: ReadonlySet<number> = new Set([400, 401, 403, 404, 405]);
const RETRY: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);

/** What an answer means when the manifest says nothing of it. */
export function usualResolution(status: number): Resolution {
  if (status < 400) return { action: 'SUCCESS' };
  if (status === 429) return { action: 'RATE_LIMITED', failure: 'transient_error' };
  if (FAIL.has(status)) return { action: 'FAIL', failure: status === 401 || status === 403 ? 'config_error' : 'system_error' };
  if (RETRY.has(status)) return { action: 'RETRY', failure: 'transient_error' };
  return { action: 'RETRY', failure: 'system_error' };
}

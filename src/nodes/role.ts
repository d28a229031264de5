/** What a node is for: `api` answers requests, `worker` runs synchronizations, `all` does both. */
export const ROLES = ['all', 'api', 'worker'] as const;

export type Role = (typeof ROLES)[number];

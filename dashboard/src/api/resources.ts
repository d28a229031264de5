import type { Data } from './client.ts';

// The things that views talk about, by the names that people use.
export type Me = Data<'GET /api/v1/me'>;
export type Scope = Me['scopes'][number];
export type Sync = Data<'GET /api/v1/datasync/sync/{id}'>;
export type Health = Sync['health'];
export type Run = Data<'GET /api/v1/datasync/runs/{id}'>;
export type Metrics = Data<'GET /api/v1/datasync/metrics'>;

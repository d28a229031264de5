import type { Data } from './client.ts';

// The things that views talk about, by the names that people use.
export type Me = Data<'GET /api/v1/me'>;
export type Scope = Me['scopes'][number];
export type Sync = Data<'GET /api/v1/datasync/sync/{id}'>;
export type Health = Sync['health'];
export type Run = Data<'GET /api/v1/datasync/runs/{id}'>;
export type Metrics = Data<'GET /api/v1/datasync/metrics'>;
export type Stream = Run['streams'][number];
export type Log = Data<'GET /api/v1/datasync/logs'>[number];
export type Order = Data<'GET /api/v1/orders/{id}'>;
export type ListedOrder = Data<'GET /api/v1/orders'>[number];
export type Product = Data<'GET /api/v1/products/{product_id}'>;
export type Key = Data<'GET /api/v1/keys/{id}'>;
export type AuditEntry = Data<'GET /api/v1/audit'>[number];
export type Node = Data<'GET /api/v1/nodes'>[number];
export type Source = Data<'GET /api/v1/datasync/sources/{id}'>;
export type SourceStream = Data<'GET /api/v1/datasync/sources/{id}/streams'>[number];
export type CheckResult = Data<'POST /api/v1/datasync/sources/{id}/check'>;
export type Connector = Data<'GET /api/v1/datasync/connectors'>[number];
export type Reject = Data<'GET /api/v1/datasync/sync/{id}/rejects'>[number];

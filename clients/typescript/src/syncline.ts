export { type CallOptions, type EventsOptions, Syncline, type SynclineOptions } from './client.ts';
export { ApiError, ConnectionError, SynclineError, TimeoutError, UnexpectedAnswerError, WebhookError } from './errors.ts';
export type { Answer, Input, Item, ListName, OperationName } from './operations.ts';
export type * from './api-types.ts';
export { type VerifyOptions, verifyWebhook, type WebhookMessage, type WebhookRequest } from './webhooks.ts';

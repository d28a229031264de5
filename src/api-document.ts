import type { Door } from './http/door.ts';
import { openApiDocument } from './http/pages/openapi.ts';
import type { Route } from './http/route.ts';
import { VERSION } from './version.ts';

/** What belongs under each tag of the document. */
const TAGS = {
  Orders:
    'Orders: taking them one by one or in batches, finding and exporting them, and moving, shipping, returning, refunding and changing them.',
  Customers: 'Those who ordered, as their orders tell of them, and the erasure of persons.',
  Products: 'The catalogue: products are created and changed by messages that may come again.',
  Stock: 'What there is of products whose stock is tracked, by location, with the ledger of all that has moved.',
  Sources: 'Systems that are read or written: databases, files, HTTP APIs, shops. And the connectors that there are for them.',
  Synchronizations: 'What is copied from which source to which, when and how.',
  Runs: 'What synchronizations do: runs, how far they are, what they rejected, and undoing them.',
  Configuration: 'Sources, synchronizations, hooks, endpoints, alerts and keys as one document: written, planned, and applied as a whole.',
  Hooks: 'Addresses that other systems call.',
  Logs: 'What synchronizations did and what went wrong, in words.',
  Metrics: 'Figures of synchronizations and of the service, as JSON and for Prometheus.',
  Alerts: 'What is wrong, and who is told of it.',
  Events: 'The feed: every change, in the order in which they were committed.',
  Webhooks: 'Endpoints that events are posted to, signed.',
  Keys: 'API keys, what each may do, and the audit of what was done with them.',
  Sessions:
    'Sign-ins of browsers: a cookie that stands for a key, for the page of this service. At an OIDC issuer, where one is set for people, a browser signs in at `/sign-in/oidc`.',
  Nodes: 'The processes that share the database.',
};

/** The OpenAPI document of the routes and doors that a service has; `publicUrl` is where its clients reach it. */
export function apiDocument({ routes, doors }: { routes: readonly Route[]; doors: readonly Door[] }, publicUrl?: string): object {
  return openApiDocument({ routes, doors, version: VERSION, url: publicUrl, tags: TAGS });
}

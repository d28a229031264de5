import type { Reachable } from '../../src/cli/prove/service-process.ts';
import type { Caller } from '../support/real-syncs.ts';
import { callService } from '../support/service.ts';

/** Calls the API of one node, or of a cluster in turns. */
export function callerOf(service: Reachable): Caller {
  return { call: (method, path, options = {}) => callService(service.url, service.adminKey, method, path, options) };
}

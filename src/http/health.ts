import type { FastifyInstance } from 'fastify';
import { asUnavailable } from '../db/errors.ts';

/** `/healthz` tells that the process lives, `/readyz` that it can work; neither needs a key. */
export function addHealth(fastify: FastifyInstance, ping: () => Promise<void>): void {
  fastify.get('/healthz', () => ({ success: true, data: { status: 'alive' } }));
  fastify.get('/readyz', async () => {
    try {
      await ping();
    } catch (error) {
      throw asUnavailable(error);
    }
    return { success: true, data: { status: 'ready' } };
  });
}

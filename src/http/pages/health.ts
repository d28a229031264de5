import type { FastifyInstance } from 'fastify';
import { asUnavailable } from '../../db/errors.ts';

/** `/healthz` tells that the process lives, `/readyz` that it can work; neither needs a key. */
export function addHealth(fastify: FastifyInstance, ping: () => Promise<void>): void {
  // Many may ask while the database does not answer: one question does for all of them.
  let asked: Promise<void> | undefined;
  const pingOnce = (): Promise<void> =>
    (asked ??= ping().finally(() => {
      asked = undefined;
    }));
  fastify.get('/healthz', () => ({ success: true, data: { status: 'alive' } }));
  fastify.get('/readyz', async () => {
    try {
      await pingOnce();
    } catch (error) {
      throw asUnavailable(error);
    }
    return { success: true, data: { status: 'ready' } };
  });
}

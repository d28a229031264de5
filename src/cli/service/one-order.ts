import { printable } from '../../lib/check.ts';
import { isId } from '../../lib/ids.ts';
import { CliError } from '../errors.ts';
import type { ServiceClient } from './client.ts';
import { ORDERS } from './find.ts';

/** What an order is called on the command line. */
export const ORDER_ARGUMENT = 'id or external id of the order';

/**
 * Does something with an order that is called by its id, or by the number that its shop gave it. What looks like an id is tried as one first: an order
 * that comes from another Syncline has such a number, too.
 */
export async function withOrder<Result>(client: ServiceClient, given: string, act: (path: string) => Promise<Result>): Promise<Result> {
  if (isId('ord', given)) {
    try {
      return await act(`${ORDERS.path}/${given}`);
    } catch (error) {
      const isMissing = error instanceof CliError && error.told.code === 'NOT_FOUND';
      const id = isMissing ? await idByNumber(client, given).catch(() => undefined) : undefined;
      if (id === undefined) throw error;
      return act(`${ORDERS.path}/${id}`);
    }
  }
  const id = await idByNumber(client, given);
  if (id === undefined) {
    const message = `There is no order with the id or external id "${printable(given)}". \`${ORDERS.command}\` shows those that are there.`;
    throw new CliError(message, 1, { code: 'NOT_FOUND', details: {} });
  }
  return act(`${ORDERS.path}/${id}`);
}

async function idByNumber(client: ServiceClient, number: string): Promise<string | undefined> {
  const query = new URLSearchParams({ external_id: number, limit: '1' });
  const { data } = await client.call<{ data: { id: string }[] }>('GET', `${ORDERS.path}?${query.toString()}`);
  return data[0]?.id;
}

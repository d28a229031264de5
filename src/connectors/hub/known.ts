import { OutsideError } from '../../outside/errors.ts';
import { SHOP_STREAMS, type ShopStream } from '../shop-streams.ts';

export const NAMES = Object.keys(SHOP_STREAMS) as ShopStream[];

export function knownStream(name: string): ShopStream {
  const known = NAMES.find((candidate) => candidate === name);
  if (!known)
    throw new OutsideError('config', 'STREAM_MISSING', `The shop has no stream "${name}".`, { hint: `It has ${NAMES.join(', ')}.` });
  return known;
}

import type { ProductStock } from '../../../api/resources.ts';
import { formatCount } from '../../../parts/words/format.ts';

export type Movement = ProductStock['movements'][number];

const KINDS: Readonly<Record<Movement['kind'], string>> = {
  opened: 'Ledger began',
  adjusted: 'Moved by hand',
  counted: 'Counted',
  shipped: 'Shipped',
  returned: 'Came back',
  closed: 'Ledger ended',
};

/** Why there is more or less. A kind that this page does not know, of a later version, is shown as it is. */
export function movementWord(kind: string): string {
  return KINDS[kind as Movement['kind']] ?? kind;
}

/** `+12`, `−3` */
export function formatDelta(delta: number): string {
  return delta > 0 ? `+${formatCount(delta)}` : formatCount(delta).replace('-', '−');
}

/** Where goods are when nobody says where. */
export const DEFAULT_LOCATION = 'default';

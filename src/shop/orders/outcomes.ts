import type { ShortLine } from '../../lib/errors.ts';
import type { OrderDraft } from './order-draft.ts';

export type CreateOutcome =
  | { kind: 'created'; id: string; json: string }
  | { kind: 'replayed'; id: string; json: string }
  | { kind: 'key_reused' }
  /** Nothing was decided: the order is to be submitted once more. */
  | { kind: 'again' }
  | { kind: 'external_id_taken'; by: string }
  | { kind: 'out_of_stock'; lines: ShortLine[] };

/** What became of each order. */
export type Outcomes = Map<OrderDraft, CreateOutcome>;

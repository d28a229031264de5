import { parseExactly, scalarText } from '../../../lib/exact-json.ts';
import { type Units, unitsOfText } from '../../../lib/money.ts';

// What was done with an order since it came, as it is kept and answered: JSON in the order's own row, so that who reads the order has it too.

/** So many of a line. Lines are known by their place in `items`, counted from 1: the same product may be in several. */
export interface DeedLine {
  line: number;
  quantity: number;
}

export interface Tracking {
  carrier?: string;
  number?: string;
  url?: string;
}

export interface Fulfillment {
  id: string;
  created_at: string;
  lines: DeedLine[];
  tracking?: Tracking;
  location?: string;
}

export interface OrderReturn {
  id: string;
  created_at: string;
  lines: DeedLine[];
  reason?: string;
  restock: boolean;
  location?: string;
}

export interface Refund {
  id: string;
  created_at: string;
  amount: ExactNumber;
  /** Of a refund that was made elsewhere: what it is called there. */
  external_id?: string;
  /** With what each comes to, unless the amount of the whole was given. */
  lines?: (DeedLine & { amount?: ExactNumber })[];
  reason?: string;
  restock: boolean;
  location?: string;
}

/** A change of what an order says. */
export interface OrderChange {
  version: number;
  at: string;
  /** The id of the API key, or `hub`. */
  by: string;
  members: string[];
  /** Where the lines were changed: how many there were before. */
  lines?: number;
}

export interface Since {
  fulfillments?: Fulfillment[];
  returns?: OrderReturn[];
  refunds?: Refund[];
  /** The most lines that it has had, where it has fewer now. */
  most_lines?: number;
  changes?: OrderChange[];
}

/** A decimal with all its digits: what `JSON.parse` and `JSON.rawJSON` make of one. */
type ExactNumber = number | object;

export function sinceOf({ since }: { since: string | null }): Since {
  return since === null ? {} : (parseExactly(since) as Since);
}

/** In the order in which it is answered. */
export function sinceText({ fulfillments, returns, refunds, most_lines, changes }: Since): string {
  return JSON.stringify({ fulfillments, returns, refunds, most_lines, changes });
}

export function unitsIn(number: ExactNumber): Units {
  return unitsOfText(scalarText(number) ?? '0');
}

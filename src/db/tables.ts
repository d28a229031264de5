/**
 * The rows of our larger tables, the same on both engines. Times are ISO 8601 text (it sorts like the time), money is decimal text in
 * JavaScript whatever the column type, and JSON columns hold the very text that we send.
 */
export interface EventsTable {
  /** 1, 2, 3 … in the order of commit, without gaps: taken from a counter whose row stays locked until the commit. */
  seq: number;
  topic: string;
  /** The place among the events of this topic, so that "how many are left" needs no counting. */
  topic_seq: number;
  type: string;
  object_id: string;
  created_at: string;
  data: string;
}

export interface KeysTable {
  id: string;
  name: string;
  scopes: string;
  rate_limit: number | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

export interface AuditTable {
  id: string;
  at: string;
  actor: string;
  action: string;
  object_id: string;
  details: string;
  address: string | null;
  request_id: string | null;
}

export interface ProductsTable {
  product_id: string;
  name: string;
  price: string;
  stock_quantity: number;
  categories: string;
  version: number;
  created_at: string;
  updated_at: string;
  stock_as_of: string | null;
  /** JSON of an object: what the product has that others do not. */
  extra: string | null;
  /** 1 or 0; null when nothing was said of it. */
  track_stock: number | null;
  allow_backorder: number | null;
  /** Lower-case name and id, what `q` looks into. */
  search: string;
}

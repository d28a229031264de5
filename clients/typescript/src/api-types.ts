// Made from /openapi.json by `npm run api:types`. Do not edit.

export interface Abilities {
  read: boolean;
  /** How it can be written to; empty when it cannot. */
  write: Array<'append' | 'upsert' | 'mirror'>;
  /** Reads only what is new or changed. */
  incremental: boolean;
  /** A read that was cut off goes on where it stopped. */
  resumable: boolean;
  /** Rows and checkpoint are written in one transaction: every row exactly once. */
  transactional: boolean;
  /** Mirrors streams that have no key, too. */
  keyless_mirror: boolean;
  /** A large stream can be read in ranges, by several nodes at the same time. */
  ranges: boolean;
  /** A large stream can be written in parts, by several nodes at the same time. */
  parts: boolean;
  /** Makes tables or files that are missing, and adds fields to them. */
  creates_streams: boolean;
  deletes: boolean;
  /** Filters are applied by the system itself. */
  filters: boolean;
  /** Tells when something has changed: a schedule can be `on_change`. */
  tells_changes: boolean;
  /** An incremental read tells of rows that were deleted, too. */
  tells_deletions: boolean;
  /** Its log can be followed: it can be the source of live synchronizations. */
  log: boolean;
  /** Takes changes as a log tells them: it can be the target of live synchronizations. */
  applies: boolean;
  /** Makes a field of whole numbers one of decimals when these come. */
  widens: boolean;
  /** Makes a mirror of what differs alone, in one transaction. */
  differences: boolean;
  /** Digests rows itself, so that equal ones need not be read when both ends are compared. */
  digests: boolean;
  /** Syncline keeps tables of its own in it, which are no streams: `_syncline_…`. */
  keeps_tables: boolean;
  /** Keeps what runs replace, so that they can be taken back. */
  undo: boolean;
  /** Between two that have it, `structure: "full"` brings keys, indexes and the like along: all that there is between two of the same type, between others what both know. */
  structure: boolean;
  notes: string | null;
}

export interface Address {
  /** Street and building. */
  street: string;
  city: string;
  /** Postal code. Mandatory, unless `country` names a country that has none. */
  zip?: string;
  /** A code of ISO 3166 or a name. */
  country?: string;
  state?: string;
  name?: string;
  phone?: string;
}

export interface AddressPatch {
  /** Street and building. */
  street?: string | null;
  city?: string | null;
  /** Postal code. Mandatory, unless `country` names a country that has none. */
  zip?: string | null;
  /** A code of ISO 3166 or a name. */
  country?: string | null;
  state?: string | null;
  name?: string | null;
  phone?: string | null;
}

export interface Alert {
  id: string;
  name: string;
  channel: AlertChannel;
  rules: Array<AlertRule>;
  sync_ids: Array<string> | null;
  /** How often it is told again of what is still wrong: a number and `m`, `h` or `d`, at least 5m; null for never. */
  remind_every: string | null;
  quiet_hours: {
    /** From when on nothing is sent, by the clock on the wall. */
    from: string;
    /** Until when; before `from`, it is on the next day. */
    to: string;
    /** A name of the IANA database. */
    timezone: string;
  } | null;
  /** `ok`: the last message got through. `failing`: it did not, and is tried again. `unused`: there was none yet. */
  status: 'ok' | 'failing' | 'unused';
  /** Why the last message did not get through. Null for a key that may not hear of all that its rules are about. */
  error: string | null;
  error_at: string | null;
  /** When a message got through last. */
  sent_at: string | null;
  /** Messages that are still to be sent. */
  waiting: number;
  version: number;
  created_at: string;
  updated_at: string;
}

/** How it is told; secrets are shown as `"********"`. */
export type AlertChannel =
  | {
      type: 'email';
      /** The mail server with its user and password: `smtps://` speaks TLS from the start, `smtp://` changes to it (STARTTLS): always where there is a password, otherwise when the server offers it. A secret, as `"********"`. */
      smtp_url: string;
      /** The sender: an address, or a name and an address. */
      from: string;
      to: Array<string>;
      /** The certificate of an authority, in PEM, that is trusted besides the public ones. */
      ca: string | null;
    }
  | {
      type: 'slack';
      /** The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back. */
      url: string;
    }
  | {
      type: 'teams';
      /** The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back. */
      url: string;
    }
  | {
      type: 'discord';
      /** The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back. */
      url: string;
    }
  | {
      type: 'mattermost';
      /** The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back. */
      url: string;
    }
  | {
      type: 'webhook';
      /** The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back. */
      url: string;
      /** Signs each message as Standard Webhooks say: `whsec_` and 24 to 64 bytes in base64. One is made when it is left out, and shown by that answer only. */
      secret: string;
    };

export interface AlertMessage {
  id: string;
  incident_id: string;
  rule:
    | 'failing'
    | 'needs_approval'
    | 'rejects'
    | 'differs'
    | 'late'
    | 'lag'
    | 'schema_changed'
    | 'endpoint_paused'
    | 'disk_full'
    | 'key_expires';
  object_id: string;
  object_name: string;
  summary: string;
  kind: 'opened' | 'reminder' | 'closed';
  /** `waiting`: it is still to be sent. `skipped`: it was held back until what it tells of was over, and that was told instead. `failed`: it did not get through for 30 days. */
  status: 'waiting' | 'sent' | 'skipped' | 'failed';
  attempts: number;
  created_at: string;
  /** When it is tried, or tried again. */
  next_at: string | null;
  sent_at: string | null;
  /** Why the last attempt failed; of a mail that was sent, which recipients the server refused. */
  error: string | null;
}

export type AlertRule =
  | {
      type: 'failing';
      /** So many failed runs in a row. */
      runs?: number;
    }
  | {
      type: 'rejects';
      /** More rejected rows than these are open. */
      over?: number;
    }
  | {
      type: 'lag';
      /** The last successful run began longer ago than this. */
      seconds: number;
    }
  | {
      type: 'disk_full';
      /** Less than this part of the disk is free. */
      free_percent?: number;
    }
  | {
      type: 'key_expires';
      /** It expires within so many days. */
      days?: number;
    }
  | { type: 'needs_approval' }
  | { type: 'differs' }
  | { type: 'late' }
  | { type: 'schema_changed' }
  | { type: 'endpoint_paused' };

export interface AlertTest {
  delivered: boolean;
  duration_ms: number;
  /** Why it did not get through, in words. */
  error: string | null;
}

export interface AlertWithSecret {
  id: string;
  name: string;
  channel: AlertChannel;
  rules: Array<AlertRule>;
  sync_ids: Array<string> | null;
  /** How often it is told again of what is still wrong: a number and `m`, `h` or `d`, at least 5m; null for never. */
  remind_every: string | null;
  quiet_hours: {
    /** From when on nothing is sent, by the clock on the wall. */
    from: string;
    /** Until when; before `from`, it is on the next day. */
    to: string;
    /** A name of the IANA database. */
    timezone: string;
  } | null;
  /** `ok`: the last message got through. `failing`: it did not, and is tried again. `unused`: there was none yet. */
  status: 'ok' | 'failing' | 'unused';
  /** Why the last message did not get through. Null for a key that may not hear of all that its rules are about. */
  error: string | null;
  error_at: string | null;
  /** When a message got through last. */
  sent_at: string | null;
  /** Messages that are still to be sent. */
  waiting: number;
  version: number;
  created_at: string;
  updated_at: string;
  /** The secret that signs its messages, when it was made just now: it cannot be shown again. */
  secret: string | null;
}

export interface AppliedConfiguration {
  /** What was changed, in one transaction. */
  changes: Array<ConfigurationChange>;
  warnings: Array<string>;
  /** What is shown this once and cannot be shown again. */
  made: Array<{
    section: 'sources' | 'hooks' | 'syncs' | 'webhooks' | 'alerts' | 'keys';
    name: string;
    /** What messages are signed with. */
    secret: string | null;
    /** The address of a hook. */
    url: string | null;
    /** The key itself. */
    key: string | null;
  }>;
}

export interface AuditEntry {
  id: string;
  at: string;
  /** Who it was: the id of the key, or issuer and subject of the token; `operator` for the key of `SYNCLINE_ADMIN_KEY`, `command line`, `first start`; `unknown` for refused keys. */
  actor: string;
  action: string;
  /** What it was done to; empty when that has no id. Of `key.refused` the address. */
  object_id: string;
  /** What belongs to the action. Of reads: how many `times` since the entry before, and how many `rows`. `by` is `an assistant` when one did it by way of `/mcp`, in the name of the key; `session` is the sign-in of the browser it came from. */
  details: { [name: string]: unknown };
  /** The address of the client; null for what came by no request. */
  address: string | null;
  /** The `X-Request-Id` of the request; of several reads in one entry that of the first. */
  request_id: string | null;
}

export interface BatchedOrder {
  customer_id: string;
  items: Array<NewOrderLine>;
  shipping_address?: NewAddress;
  /** The order's id in the system it comes from. It stays unique. */
  external_id?: string;
  /** ISO 4217. */
  currency?: string;
  /** Anything of yours, up to 16 KiB as JSON and 32 levels deep. */
  metadata?: { [name: string]: unknown };
  /** Whether the prices, and that of shipping, have their taxes in them. They have not, when left out. */
  prices_include_tax?: boolean;
  shipping?: NewOrderShipping;
  discounts?: Array<{
    /** What the customer entered, or what you call it. */
    code?: string;
    /** So much off. Either this or `percent`. At most four decimals; it is taken as it is. */
    amount?: number;
    /** Such a part off. Either this or `amount`. At most four decimals. */
    percent?: number;
  }>;
  taxes?: Array<NewOrderTax>;
  /** What the order has to come to. When it comes to another total it is refused, and the error shows both. It is not kept. */
  expected_total?: number;
  customer?: NewOrderCustomer;
  billing_address?: NewAddress;
  payment?: NewOrderPayment;
  /** Words about the order. */
  note?: string;
  tags?: Array<string>;
  /** Where the order comes from, such as web or store. */
  channel?: string;
  /** Take all lines from stock, or answer OUT_OF_STOCK and make no order. Lines of products whose stock is not tracked, or that are not known, take nothing. */
  reserve?: boolean;
  /** Whether the order was placed elsewhere, and is brought in as it was. */
  imported?: boolean;
  /** When the customer ordered. Only with `imported`. ISO 8601 with its zone; a bare date is midnight UTC. */
  placed_at?: string;
  /** The state that the order is in. Only with `imported`. */
  status?: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
  /** The states that the order has had, oldest first; any of them may follow any other. Only with `imported`. */
  history?: Array<NewOrderHistoryEntry>;
  /** What was paid, whatever the parts come to. Only with `imported`. */
  total?: number;
}

export interface ChangedAlert {
  /** What people call it. */
  name?: string;
  channel?: NewAlertChannel;
  rules?: Array<NewAlertRule>;
  /** The synchronizations that its rules are about; null for all, also those to come. */
  sync_ids?: Array<string> | null;
  /** How often it is told again of what is still wrong: a number and `m`, `h` or `d`, at least 5m; null for never. */
  remind_every?: string | null;
  /** When nothing is sent: messages wait until it is over. */
  quiet_hours?: {
    /** From when on nothing is sent, by the clock on the wall. */
    from: string;
    /** Until when; before `from`, it is on the next day. */
    to: string;
    /** A name of the IANA database. */
    timezone?: string;
  } | null;
}

export interface ChangedHook {
  /** What people call it. */
  name?: string;
  /** How the sender proves that it is the sender: `standard` (Standard Webhooks), `shopify`, `woocommerce`, `stripe`, `github`, `secret` (a shared secret in a header), `token` (nothing but the address). */
  scheme?: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
  /** What the sender signs with. For `shopify` and `stripe` it comes from there; elsewhere one is made when it is left out. Shown as `********`; sent back so, it stays. */
  secret?: string;
  /** Of `secret` alone: the header that carries it; `X-Hook-Secret` when left out. */
  header?: string;
  /** The synchronization that a call starts. */
  sync_id?: string | null;
}

export interface ChangedRow {
  change: 'insert' | 'update' | 'delete';
  /** Values as text, digit by digit; booleans as they are. */
  key: { [name: string]: unknown } | null;
  /** Values as text, digit by digit; booleans as they are. */
  before: { [name: string]: unknown } | null;
  /** Values as text, digit by digit; booleans as they are. */
  after: { [name: string]: unknown } | null;
}

export interface ChangedSource {
  /** What people call it. */
  name?: string;
  /** A connector, such as `postgres`. */
  type?: string;
  /** What the connector needs; `GET /datasync/connectors` shows the schema of each type. */
  config?: { [name: string]: unknown };
}

export interface ChangedSynchronization {
  /** What people call it. */
  name?: string;
  /** The source that is read. */
  source_id?: string;
  /** The source that is written to. */
  target_id?: string;
  streams?: Array<NewSynchronizationStream>;
  /** `two_way` is not there yet and is refused. */
  direction?: 'source_to_target' | 'two_way';
  schedule?: NewSchedule;
  /** What happens when a row cannot be written: the row is rejected and the others go on, or the stream fails. */
  on_reject?: 'quarantine' | 'fail';
  guard?: {
    /** A mirror that would delete a larger part of the target’s rows needs approval. */
    max_delete_percent?: number;
    /** Whether a mirror may find no rows where there were some, without approval. */
    allow_empty?: boolean;
  };
  /** What happens when the fields of the source change: apply it to the target, ignore new fields, or stop the run. */
  schema_changes?: 'apply' | 'ignore' | 'stop';
  /** What tables get that are made at the target. `data`: columns and a key. `full`, between databases that know structures (`abilities.structure` of their connectors): NOT NULL, defaults, sequences, keys, indexes, checks, comments and foreign keys of the source too, between different systems what both know; indexes and foreign keys are made when the rows are there. What stays behind is told in `warnings` of the stream. A table that is there is left as it is. Expressions of the source run at the target: choose it only for a source that you trust. */
  structure?: 'data' | 'full';
  /** Of a live synchronization: what happens when changes are lost at the source. `load`: the streams concerned are loaded anew by themselves. `stop`: it is paused, and a person decides. */
  on_gap?: 'load' | 'stop';
  /** Of a live synchronization: how much of its log the source may keep for it at most: a number and `MB`, `GB` or `TB`, or a number of bytes; at least 1 MB. Beyond it the source is let go, and its streams are loaded anew. */
  max_retained?: string | number;
  /** How often a run is expected to succeed: a number and `s`, `m`, `h` or `d`. When none has for so long, the synchronization is late, and alerts tell of it. Null when nothing is expected. */
  expect_every?: string | null;
  /** Keeps what each run replaces at the target, beside the tables and in the same transactions, so that runs can be undone. Null when nothing is kept. Only where the target is a database that can (`abilities.undo`), and for streams with a key. */
  undo?: {
    /** For how long: a number and `s`, `m`, `h` or `d`; at most 366d. */
    keep: string;
    /** A run that changes more rows of a stream is not kept, and cannot be undone. */
    max_rows?: number;
  } | null;
  /** Compares the contents of both ends by itself, so often. Null: only when it is asked for. */
  verify?: {
    /** How often: a number and `s`, `m`, `h` or `d`; at least 1m. */
    every: string;
  } | null;
}

export interface ChangedWebhook {
  /** What the endpoint is for. */
  name?: string;
  /** Where events are posted to: https or http. Users and passwords belong into `headers`. */
  url?: string;
  /** Which events are sent: types of the feed, with `*` for any text, such as `order.*`. All that the key may read, when left out. */
  types?: Array<string>;
  /** An expression (CEL) over `type`, `object_id` and `data`: only events for which it is true are sent. */
  condition?: string | null;
  /** `full`: `data` is the object as it was after the change; `thin`: `data` is its `id` alone. */
  payload?: 'full' | 'thin';
  /** `symmetric`: HMAC-SHA256 by a shared secret (`v1`); `ed25519`: a signature that the public key verifies (`v1a`). */
  signature?: 'symmetric' | 'ed25519';
  /** Headers that are sent along, by name. Their values are secrets: they come back as `"********"`, which sent again keeps them. */
  headers?: { [name: string]: unknown };
  /** How many events are under way to it at the same time. */
  max_in_flight?: number;
  /** How many attempts a second at most; null for any number. */
  rate?: number | null;
}

export interface CheckFailure {
  /** What it takes to recover; see the documentation. */
  kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
  code: string;
  message: string;
  /** What to do next. */
  hint: string | null;
  /** The member of the configuration that is to blame. */
  field: string | null;
}

export interface CheckResult {
  ok: boolean;
  message: string;
  warnings: Array<string>;
  /** What is missing before its changes can be followed live, each with what to do; empty when nothing is. Null where there is no log to follow, or the connection does not work. */
  live_needs: Array<string> | null;
  error: CheckFailure | null;
  duration_ms: number;
}

export interface ConfigurationChange {
  section: 'sources' | 'hooks' | 'syncs' | 'webhooks' | 'alerts' | 'keys';
  name: string;
  action: 'create' | 'update' | 'delete';
  fields: Array<{
    field: string;
    /** Null when there is none. Secrets are never shown. */
    before: unknown;
    /** Null when there is none. */
    after: unknown;
  }>;
  /** What it means for the data, in sentences. */
  effects: Array<string>;
}

export interface ConfigurationPlan {
  /** Empty when everything is as the document says. */
  changes: Array<ConfigurationChange>;
  warnings: Array<string>;
  /** Send it along when you apply: then nothing else than this is done. */
  digest: string;
}

export interface ConfigurationToApply {
  /** Sources, synchronizations and so on, each by its name; `/config.schema.json` is the schema. References such as `${env:NAME}` have been resolved by the caller. */
  document: { [name: string]: unknown };
  /** Whether what the sections of the document do not name is deleted. A section that is not there is left alone. */
  prune?: boolean;
  /** How far synchronizations have come elsewhere, by name, as the export has it: those that are new here go on from there. */
  state?: { [name: string]: unknown };
  /** Of the plan that was looked at: when it is no longer true, nothing is applied (409). */
  digest?: string;
}

export interface ConfigurationToPlan {
  /** Sources, synchronizations and so on, each by its name; `/config.schema.json` is the schema. References such as `${env:NAME}` have been resolved by the caller. */
  document: { [name: string]: unknown };
  /** Whether what the sections of the document do not name is deleted. A section that is not there is left alone. */
  prune?: boolean;
  /** How far synchronizations have come elsewhere, by name, as the export has it: those that are new here go on from there. */
  state?: { [name: string]: unknown };
}

export interface Connector {
  /** The name in `type` of a source. */
  type: string;
  title: string;
  description: string;
  /** What kind of system it is. */
  category: 'database' | 'file' | 'api' | 'shop' | 'events' | 'other';
  /** Other words by which it is found. */
  keywords: Array<string>;
  /** What can be relied on when it is read, written and followed, in words. */
  promises: Array<string>;
  /** A JSON Schema; what is `writeOnly` is a secret. */
  config: { [name: string]: unknown };
  abilities: Abilities;
  naming: Naming;
  /** Of Syncline's own shop: its streams, and whose rows each has. Moving or seeing them needs the scopes of these. Else empty. */
  shop_streams: Array<{ name: string; rows: 'orders' | 'products' }>;
}

export interface Customer {
  /** `customer_id` of the orders. */
  id: string;
  /** How many orders there are, in whatever state. */
  orders: number;
  /** The oldest of them. */
  first_order: { id: string; created_at: string };
  /** The newest of them. */
  last_order: { id: string; created_at: string };
  /** Σ `total` of the orders of each currency; exact. */
  totals: Array<{ currency: string; orders: number; total: number }>;
  customer: OrderCustomer | null;
}

/** For a key without `orders:read`. */
export interface DeedReceipt {
  id: string;
  order: { id: string; status: OrderStatus; version: number; updated_at: string };
}

export interface DifferentRow {
  difference: 'missing' | 'extra' | 'different';
  /** Values as text, digit by digit; booleans as they are. */
  key: { [name: string]: unknown } | null;
  /** The fields that are shown: those that differ, or all when one end lacks the row. */
  fields: Array<string>;
  /** Values as text, digit by digit; booleans as they are. */
  source: { [name: string]: unknown } | null;
  /** Values as text, digit by digit; booleans as they are. */
  target: { [name: string]: unknown } | null;
}

export interface Discount {
  code?: string;
  percent?: number;
  /** What it takes off. */
  amount: number;
}

export interface DoneFulfillment {
  id: string;
  created_at: string;
  lines: Array<OrderPiece>;
  tracking?: Tracking;
  location?: string;
  order: OrderAfter;
}

export interface DoneRefund {
  id: string;
  created_at: string;
  /** What was given back. */
  amount: number;
  /** What it is called in the system where it was made: it came with its order by a synchronization. */
  external_id?: string;
  lines?: Array<RefundedPiece>;
  reason?: string;
  restock: boolean;
  location?: string;
  order: OrderAfter;
}

export interface DoneReturn {
  id: string;
  created_at: string;
  lines: Array<OrderPiece>;
  reason?: string;
  restock: boolean;
  location?: string;
  order: OrderAfter;
}

export interface EndedRuns {
  /** How many ended. */
  total: number;
  succeeded: number;
  partial: number;
  failed: number;
  cancelled: number;
  skipped: number;
}

export interface Erasure {
  id: string;
  /** Work goes on behind `running`, also when the service is restarted. */
  status: 'running' | 'done';
  /** What stands in their orders from now on in place of the id that named them; null when it was several persons. */
  customer_id: string | null;
  /** How many orders it was taken out of so far. */
  orders: number;
  /** The id of the key, or `retention`. */
  requested_by: string;
  created_at: string;
  finished_at: string | null;
}

export interface Error {
  success: false;
  error: Failure;
}

export interface ErrorDetails {
  /** The first field at fault, as a path such as `items[0].quantity`. */
  field?: string;
  /** What is wrong with it. */
  reason?: string;
  /** Every fault that was found. */
  errors?: Array<Fault>;
  /** Of a body, or a line of many, that cannot be read: its line, from 1. */
  line?: number;
  /** The character in that line, from 1. */
  position?: number;
  /** Of `OUT_OF_STOCK`: the lines that there is too little for. */
  lines?: Array<{
    /** The place of the line in the order, from 0. */
    index: number;
    product_id: string;
    /** What all lines of this product want together. */
    wanted: number;
    /** What there is. */
    available: number;
  }>;
  /** Of `CONFLICT`: the run that is under way, and stands in the way. */
  run_id?: string;
}

export interface Event {
  /** The place in the feed; give it back as `after`. */
  sequence: number;
  id: string;
  type: string;
  /** The id of what has changed. */
  object_id: string;
  created_at: string;
  /** The order, product, stock or source as it was after the change. */
  data: { [name: string]: unknown };
}

export interface ExportedConfiguration {
  /** What there is, with references in the place of secrets. */
  document: { [name: string]: unknown };
  /** The variables that have to be set before it can be applied elsewhere. */
  variables: Array<{ name: string; field: string }>;
  /** Sections that this key may not read. */
  left_out: Array<'sources' | 'hooks' | 'syncs' | 'webhooks' | 'alerts' | 'keys'>;
  /** The positions of synchronizations by name, when they were asked for. */
  state: { [name: string]: unknown } | null;
}

export interface Failure {
  /** Later versions of v1 may add codes. */
  code:
    | 'INVALID_PARAMS'
    | 'MALFORMED_JSON'
    | 'IDEMPOTENCY_KEY_REUSED'
    | 'UNAUTHORIZED'
    | 'FORBIDDEN'
    | 'NOT_FOUND'
    | 'METHOD_NOT_ALLOWED'
    | 'CONFLICT'
    | 'INVALID_TRANSITION'
    | 'VERSION_CONFLICT'
    | 'IN_USE'
    | 'OUT_OF_STOCK'
    | 'PAYLOAD_TOO_LARGE'
    | 'UNSUPPORTED_MEDIA_TYPE'
    | 'RATE_LIMITED'
    | 'INTERNAL_ERROR'
    | 'UNAVAILABLE';
  /** For people. Act on `code`. */
  message: string;
  details: ErrorDetails;
}

export interface Fault {
  /** A path such as `items[0].quantity`. */
  field: string;
  /** What is wrong with it. */
  reason: string;
}

export interface Fulfillment {
  id: string;
  created_at: string;
  lines: Array<OrderPiece>;
  tracking?: Tracking;
  location?: string;
}

export interface Hook {
  id: string;
  name: string;
  scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
  /** `********`, or null when there is none. */
  secret: string | null;
  /** Of `secret` alone: the header that carries it. */
  header: string | null;
  /** The synchronization that a call starts. */
  sync_id: string | null;
  /** How many calls were taken, ever. */
  calls: number;
  last_call_at: string | null;
  /** How many calls were refused, ever; exact to a second. */
  refused: number;
  refused_at: string | null;
  /** Why the last one was refused, in words. */
  refused_reason: string | null;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface HookCall {
  id: string;
  /** Counts 1, 2, 3 … without gaps. */
  sequence: number;
  /** What the sender calls the message. */
  sender_id: string | null;
  received_at: string;
  /** What was sent; secrets and signatures as `********`. */
  headers: { [name: string]: unknown };
  /** As it was sent. */
  body: string;
  /** How `body` is written here: as text, or as base64 when it is none. */
  encoding: 'utf8' | 'base64';
}

export interface HookWithToken {
  id: string;
  name: string;
  scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
  /** The secret itself when it was made here, to be given to the sender. It is not shown again. */
  secret: string | null;
  /** Of `secret` alone: the header that carries it. */
  header: string | null;
  /** The synchronization that a call starts. */
  sync_id: string | null;
  /** How many calls were taken, ever. */
  calls: number;
  last_call_at: string | null;
  /** How many calls were refused, ever; exact to a second. */
  refused: number;
  refused_at: string | null;
  /** Why the last one was refused, in words. */
  refused_reason: string | null;
  version: number;
  created_at: string;
  updated_at: string;
  /** The token of the address. It is not shown again. Null when it stays. */
  token: string | null;
  /** The address to give to the sender: it begins with `SYNCLINE_PUBLIC_URL`, or as the caller of this request has reached us. */
  url: string | null;
}

export interface Incident {
  id: string;
  /** What is wrong. Later versions of v1 may add some. */
  rule:
    | 'failing'
    | 'needs_approval'
    | 'rejects'
    | 'differs'
    | 'late'
    | 'lag'
    | 'schema_changed'
    | 'endpoint_paused'
    | 'disk_full'
    | 'key_expires';
  /** What it is wrong with: a synchronization, an endpoint, a key, or the name of a machine. */
  object_id: string;
  object_name: string;
  opened_at: string;
  closed_at: string | null;
  /** What is wrong, in words. */
  summary: string;
  /** Why it is over, in words. */
  ending: string | null;
  /** What is known of it, by rule. */
  details: { [name: string]: unknown };
}

export interface Key {
  id: string;
  name: string;
  scopes: Array<
    | 'datasync:read'
    | 'datasync:write'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'webhooks'
    | 'assistant:write'
    | 'admin'
  >;
  status: 'active' | 'expired' | 'revoked';
  /** Requests a second on each node; null leaves it to the configuration, 0 means no limit. */
  rate_limit: number | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Exact to about ten seconds. */
  last_used_at: string | null;
}

export interface KeyWithSecret {
  id: string;
  name: string;
  scopes: Array<
    | 'datasync:read'
    | 'datasync:write'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'webhooks'
    | 'assistant:write'
    | 'admin'
  >;
  status: 'active' | 'expired' | 'revoked';
  /** Requests a second on each node; null leaves it to the configuration, 0 means no limit. */
  rate_limit: number | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Exact to about ten seconds. */
  last_used_at: string | null;
  /** The key itself. It is shown this once and cannot be shown again. */
  key: string;
}

/** How far it is behind its source; of a live run while it is running. */
export interface Lag {
  /** Between the commit of a change at the source and its commit at the target, or since when the next one waits. */
  seconds: number;
  /** Of the log that the source keeps for it, where it tells. */
  bytes: number | null;
  /** When this was so. */
  at: string;
}

export interface ListedOrder {
  id: string;
  status: OrderStatus;
  /** Σ quantity × price, less discounts, with shipping and taxes; exact. */
  total: number;
  created_at: string;
  updated_at?: string;
  /** Goes up by one with every change. */
  version?: number;
  customer_id?: string;
  currency?: string;
  external_id?: string | null;
  items?: Array<OrderLine>;
  shipping_address?: Address | null;
  metadata?: { [name: string]: unknown };
  /** Σ quantity × price. There when the order has a discount, a tax or shipping. */
  subtotal?: number;
  /** All discounts together. There when the order has a discount, a tax or shipping. */
  discount_total?: number;
  /** What shipping costs. There when the order has a discount, a tax or shipping. */
  shipping_total?: number;
  /** Of an order that was brought in with a total of its own: what that is more, or less, than its parts come to. */
  adjustment?: number;
  /** All taxes together. With `prices_include_tax` they are in the other parts, else they are added to them. There when the order has a discount, a tax or shipping. */
  tax_total?: number;
  prices_include_tax?: boolean;
  shipping?: OrderShipping;
  discounts?: Array<Discount>;
  taxes?: Array<OrderTax>;
  customer?: OrderCustomer;
  billing_address?: Address;
  payment?: OrderPayment;
  /** Words about the order. */
  note?: string;
  tags?: Array<string>;
  channel?: string;
  reserve?: true;
  imported?: true;
  /** When the customer ordered, of an order that was brought in. */
  placed_at?: string;
  /** How far it is shipped and returned. There when the order has a fulfilment, a return, or a refund of what was not shipped. Later versions of v1 may add values. */
  fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
  /** `payment.status`; with refunds `partially_refunded` or `refunded`. There when one of the two is. Later versions of v1 may add values. */
  payment_status?: string;
  /** All that was given back. There when the order has refunds. */
  refunded_total?: number;
  /** What is left of what was paid, and can still be given back: `total` less `refunded_total`, or 0 when `payment.status` says that nothing is. There when the order has refunds. */
  remaining_total?: number;
  fulfillments?: Array<Fulfillment>;
  returns?: Array<Return>;
  refunds?: Array<Refund>;
  /** The most lines that the order has had, where changes have left fewer: the lines behind are gone. */
  most_lines?: number;
  /** The last 100 changes by `PATCH` or by a synchronization, oldest first. */
  changes?: Array<OrderChange>;
  /** Every status the order has had, oldest first. */
  history?: Array<OrderHistoryEntry>;
}

export interface LogEntry {
  id: string;
  /** When it happened. Later entries never have an earlier time. */
  time: string;
  level: 'debug' | 'info' | 'warn' | 'error';
  sync_id: string | null;
  run_id: string | null;
  /** The stream of the run, by its name at the source. */
  stream: string | null;
  source_id: string | null;
  /** At most 4 KiB. */
  message: string;
  /** Figures and details, at most 16 KiB; what did not fit is named in `left_out`. */
  data: { [name: string]: unknown } | null;
}

export interface Me {
  /** The id of the key; of a token its issuer and subject; `operator` for the key of `SYNCLINE_ADMIN_KEY`. */
  id: string;
  /** What the key is for. */
  name: string;
  /** What it may do. `admin` may do everything. */
  scopes: Array<
    | 'datasync:read'
    | 'datasync:write'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'webhooks'
    | 'assistant:write'
    | 'admin'
  >;
  /** From when the key is refused; null when it has no end, or when its issuer alone knows it. */
  expires_at: string | null;
}

export interface Metrics {
  window: '1h' | '24h' | '7d' | '30d';
  from: string;
  to: string;
  runs: RunCounts;
  rows: RowCounts;
  /** Bytes that were read. */
  bytes: number;
  /** What was read, for each second that runs were at work. */
  throughput: { rows_per_second: number; bytes_per_second: number };
  duration_ms: { p50: number | null; p95: number | null; max: number | null };
  /** Seconds since the last successful run of an active synchronization began; of a live one, how far it is behind its source; of several the largest. Null when there was none. */
  lag_seconds: number | null;
  /** Succeeded and partial runs as a part of these and the failed ones, from 0 to 1; null without any. */
  success_rate: number | null;
  /** The same for each synchronization, oldest first. */
  syncs: Array<SynchronizationMetrics>;
  /** The window over time: 60 points for `1h`, 48 for `24h`, 84 for `7d`, 60 for `30d`; the last is still under way. */
  series: Array<MetricsPoint>;
}

export interface MetricsPoint {
  /** Where this point begins. */
  at: string;
  runs: EndedRuns;
  rows: RowCounts;
  bytes: number;
  /** With `sync_id`, of a live synchronization: the furthest it was behind its source; null when nothing was told. */
  lag_seconds: number | null;
  /** The most that the source kept of its log for it then. */
  retained_bytes: number | null;
}

export interface NameRule {
  /** Names with more bytes, in UTF-8, cannot be. */
  max_bytes: number | null;
  /** Names with more characters cannot be. */
  max_characters: number | null;
  /** A regular expression: names in which it is found cannot be. */
  pattern: string | null;
  /** In words; `{name}` stands for the name, and `{size}` for how large it is. */
  why: string;
}

export interface Naming {
  /** Upper and lower case are the same name. */
  folds_case: boolean;
  /** Streams are called `schema.table`, and this is where tables without a schema are; null where there are no schemas. */
  default_schema: string | null;
  /** What a stream that is made there cannot be called. */
  streams: Array<NameRule>;
  /** What a field that is added there cannot be called. */
  fields: Array<NameRule>;
}

export interface NewAddress {
  /** Street and building. */
  street: string;
  city: string;
  /** Postal code. Mandatory, unless `country` names a country that has none. */
  zip?: string;
  /** A code of ISO 3166 or a name. */
  country?: string;
  state?: string;
  name?: string;
  phone?: string;
}

export interface NewAlert {
  /** What people call it. */
  name: string;
  channel: NewAlertChannel;
  rules: Array<NewAlertRule>;
  /** The synchronizations that its rules are about; null for all, also those to come. */
  sync_ids?: Array<string> | null;
  /** How often it is told again of what is still wrong: a number and `m`, `h` or `d`, at least 5m; null for never. */
  remind_every?: string | null;
  /** When nothing is sent: messages wait until it is over. */
  quiet_hours?: {
    /** From when on nothing is sent, by the clock on the wall. */
    from: string;
    /** Until when; before `from`, it is on the next day. */
    to: string;
    /** A name of the IANA database. */
    timezone?: string;
  } | null;
}

/** How it is told. */
export type NewAlertChannel =
  | {
      type: 'email';
      /** The mail server with its user and password: `smtps://` speaks TLS from the start, `smtp://` changes to it (STARTTLS): always where there is a password, otherwise when the server offers it. A secret, as `"********"`. */
      smtp_url: string;
      /** The sender: an address, or a name and an address. */
      from: string;
      to: Array<string>;
      /** The certificate of an authority, in PEM, that is trusted besides the public ones. */
      ca?: string | null;
    }
  | {
      type: 'slack';
      /** The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back. */
      url: string;
    }
  | {
      type: 'teams';
      /** The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back. */
      url: string;
    }
  | {
      type: 'discord';
      /** The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back. */
      url: string;
    }
  | {
      type: 'mattermost';
      /** The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back. */
      url: string;
    }
  | {
      type: 'webhook';
      /** The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back. */
      url: string;
      /** Signs each message as Standard Webhooks say: `whsec_` and 24 to 64 bytes in base64. One is made when it is left out, and shown by that answer only. */
      secret?: string;
    };

/** What it is told of. */
export type NewAlertRule =
  | {
      type: 'failing';
      /** So many failed runs in a row. */
      runs?: number;
    }
  | {
      type: 'rejects';
      /** More rejected rows than these are open. */
      over?: number;
    }
  | {
      type: 'lag';
      /** The last successful run began longer ago than this. */
      seconds: number;
    }
  | {
      type: 'disk_full';
      /** Less than this part of the disk is free. */
      free_percent?: number;
    }
  | {
      type: 'key_expires';
      /** It expires within so many days. */
      days?: number;
    }
  | { type: 'needs_approval' }
  | { type: 'differs' }
  | { type: 'late' }
  | { type: 'schema_changed' }
  | { type: 'endpoint_paused' };

export interface NewFulfillment {
  /** What is shipped. When it is left out, all that is left to ship. */
  lines?: Array<NewOrderPiece>;
  tracking?: NewTracking;
  /** Where the goods leave or come in, by an id of yours. */
  location?: string;
  /** Refuse unless the order is at this version. */
  expected_version?: number;
}

export interface NewHook {
  /** What people call it. */
  name: string;
  /** How the sender proves that it is the sender: `standard` (Standard Webhooks), `shopify`, `woocommerce`, `stripe`, `github`, `secret` (a shared secret in a header), `token` (nothing but the address). */
  scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
  /** What the sender signs with. For `shopify` and `stripe` it comes from there; elsewhere one is made when it is left out. Shown as `********`; sent back so, it stays. */
  secret?: string;
  /** Of `secret` alone: the header that carries it; `X-Hook-Secret` when left out. */
  header?: string;
  /** The synchronization that a call starts. */
  sync_id?: string | null;
}

export interface NewKey {
  /** What the key is for. */
  name: string;
  /** What it may do. `admin` may do everything. */
  scopes: Array<
    | 'datasync:read'
    | 'datasync:write'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'webhooks'
    | 'assistant:write'
    | 'admin'
  >;
  /** From when it is refused; never, when left out. ISO 8601 with its zone; a bare date is midnight UTC. */
  expires_at?: string;
  /** Requests a second on each node; 0 means no limit. */
  rate_limit?: number;
}

export interface NewOrder {
  customer_id: string;
  items: Array<NewOrderLine>;
  shipping_address?: NewAddress;
  /** The order's id in the system it comes from. It stays unique. */
  external_id?: string;
  /** ISO 4217. */
  currency?: string;
  /** Anything of yours, up to 16 KiB as JSON and 32 levels deep. */
  metadata?: { [name: string]: unknown };
  /** Whether the prices, and that of shipping, have their taxes in them. They have not, when left out. */
  prices_include_tax?: boolean;
  shipping?: NewOrderShipping;
  discounts?: Array<{
    /** What the customer entered, or what you call it. */
    code?: string;
    /** So much off. Either this or `percent`. At most four decimals; it is taken as it is. */
    amount?: number;
    /** Such a part off. Either this or `amount`. At most four decimals. */
    percent?: number;
  }>;
  taxes?: Array<NewOrderTax>;
  /** What the order has to come to. When it comes to another total it is refused, and the error shows both. It is not kept. */
  expected_total?: number;
  customer?: NewOrderCustomer;
  billing_address?: NewAddress;
  payment?: NewOrderPayment;
  /** Words about the order. */
  note?: string;
  tags?: Array<string>;
  /** Where the order comes from, such as web or store. */
  channel?: string;
  /** Take all lines from stock, or answer OUT_OF_STOCK and make no order. Lines of products whose stock is not tracked, or that are not known, take nothing. */
  reserve?: boolean;
}

export interface NewOrderCustomer {
  email?: string;
  name?: string;
  phone?: string;
  company?: string;
  /** Such as a VAT number. */
  tax_id?: string;
}

export interface NewOrderHistoryEntry {
  status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
  /** Since when. ISO 8601 with its zone; a bare date is midnight UTC. */
  at: string;
  reason?: string | null;
}

export interface NewOrderLine {
  product_id: string;
  quantity: number;
  /** Unit price, at most four decimals. */
  price: number;
  /** What the line is called, as the customer saw it. */
  name?: string;
  sku?: string;
  /** Such as a colour and a size. */
  variant?: string;
  /** Off quantity × price of this line. */
  discount?: {
    /** What the customer entered, or what you call it. */
    code?: string;
    /** So much off. Either this or `percent`. At most four decimals; it is taken as it is. */
    amount?: number;
    /** Such a part off. Either this or `amount`. At most four decimals. */
    percent?: number;
  };
  /** On what is left of this line after its discount and its part of the discounts of the order. */
  tax?: {
    /** In percent: 19 is 19 %. At most four decimals. */
    rate?: number;
    /** What the tax is. When it is given, it counts; else it is computed from `rate`. At most four decimals; it is taken as it is. */
    amount?: number;
  };
  /** Anything of yours, up to 16 KiB as JSON and 32 levels deep. */
  metadata?: { [name: string]: unknown };
}

export interface NewOrderPayment {
  /** Later versions of v1 may add values. */
  status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
  /** Such as card or invoice. */
  method?: string;
  /** What the provider of the payment calls it. */
  reference?: string;
  /** When it was paid. ISO 8601 with its zone; a bare date is midnight UTC. */
  paid_at?: string;
}

export interface NewOrderPiece {
  /** The place of the line in `items`, counted from 1: the same product may be in several lines. */
  line: number;
  /** When it is left out, all that is left of the line. */
  quantity?: number;
}

export interface NewOrderShipping {
  method?: string;
  /** What shipping costs. At most four decimals; it is taken as it is. */
  price: number;
  /** On the price of shipping. */
  tax?: {
    /** In percent: 19 is 19 %. At most four decimals. */
    rate?: number;
    /** What the tax is. When it is given, it counts; else it is computed from `rate`. At most four decimals; it is taken as it is. */
    amount?: number;
  };
}

export interface NewOrderTax {
  name?: string;
  /** In percent, of the lines and the shipping that have no tax of their own. At most four decimals. */
  rate?: number;
  /** What the tax is. When it is given, it counts; else it is computed from `rate`. At most four decimals; it is taken as it is. */
  amount?: number;
}

export interface NewProductImage {
  /** Where it is. It is not looked at. */
  url: string;
  /** What it shows, in words. */
  alt?: string;
}

export interface NewProductVariant {
  /** What you call it where it is kept. */
  sku: string;
  name?: string;
  barcode?: string;
  /** What tells it from the others, as text: `{"colour": "blue", "size": "M"}`. Up to 20. */
  options?: { [name: string]: unknown };
  /** At most four decimals. That of the product, when left out. */
  price?: number;
  /** A price for each currency, by its code of three capital letters. `price` stays what it is: that of `SYNCLINE_CURRENCY`. Up to 200, each with at most four decimals. */
  prices?: { [name: string]: unknown };
  weight?: NewWeight;
}

export interface NewRefund {
  /** What the money is given back for. Either this or `amount`, or both: then `amount` counts. */
  lines?: Array<NewOrderPiece>;
  /** How much is given back; more than 0, unless `lines` are given. At most four decimals; it is taken as it is. */
  amount?: number;
  /** Why. */
  reason?: string;
  /** Whether the goods stay in stock: they were not shipped, and are not going to be. Only with `lines`. It is not, when left out. */
  restock?: boolean;
  /** Where the goods leave or come in, by an id of yours. */
  location?: string;
  /** Refuse unless the order is at this version. */
  expected_version?: number;
}

export interface NewReturn {
  /** What comes back. When it is left out, all that was shipped and has not come back. */
  lines?: Array<NewOrderPiece>;
  /** Why. */
  reason?: string;
  /** Whether the goods are put back into stock. It is not, when left out. */
  restock?: boolean;
  /** Where the goods leave or come in, by an id of yours. */
  location?: string;
  /** Refuse unless the order is at this version. */
  expected_version?: number;
}

export interface NewRun {
  /** Only these streams, by their names at the source; all of them unless given. */
  streams?: Array<string>;
  /** `run`: as the definition says. `full`: reads everything anew, whatever the position. `preview`: shows what would change and writes nothing. `verify`: compares the contents of both ends and writes nothing. `repair`: does the same and writes just the rows that differ. `repair_preview`: shows what a repair would change. */
  mode?: 'run' | 'full' | 'preview' | 'verify' | 'repair' | 'repair_preview';
}

/** When it runs. `on_change` runs as soon as something changes, and is for sources that tell so, such as the shop, and for live synchronizations (mode `cdc`), which have no other. `after` runs whenever a run of another synchronization has succeeded, also in part; circles are refused. Without it, `manual`; for the shop and for live ones, `on_change`. */
export type NewSchedule =
  | { type: 'manual' }
  | {
      type: 'interval';
      /** A number and `s`, `m`, `h` or `d`. */
      every: string;
    }
  | {
      type: 'cron';
      /** Minute, hour, day of month, month, day of week; with a sixth field in front, seconds. */
      expression: string;
      /** A name of the IANA database. */
      timezone?: string;
    }
  | { type: 'on_change' }
  | {
      type: 'after';
      /** The synchronization that runs before this one. */
      sync_id: string;
    };

export interface NewSource {
  /** What people call it. */
  name: string;
  /** A connector, such as `postgres`. */
  type: string;
  /** What the connector needs; `GET /datasync/connectors` shows the schema of each type. */
  config: { [name: string]: unknown };
}

export interface NewStockMovement {
  product_id: string;
  /** Where; `default` when left out. A location is there as soon as something is. */
  location?: string;
  /** How many units came, or, less than 0, went away. Not 0. */
  delta: number;
  /** Why, for those who read the ledger. */
  reason?: string;
}

export interface NewSynchronization {
  /** What people call it. */
  name: string;
  /** The source that is read. */
  source_id: string;
  /** The source that is written to. */
  target_id: string;
  streams: Array<NewSynchronizationStream>;
  /** `two_way` is not there yet and is refused. */
  direction?: 'source_to_target' | 'two_way';
  schedule?: NewSchedule;
  /** What happens when a row cannot be written: the row is rejected and the others go on, or the stream fails. */
  on_reject?: 'quarantine' | 'fail';
  guard?: {
    /** A mirror that would delete a larger part of the target’s rows needs approval. */
    max_delete_percent?: number;
    /** Whether a mirror may find no rows where there were some, without approval. */
    allow_empty?: boolean;
  };
  /** What happens when the fields of the source change: apply it to the target, ignore new fields, or stop the run. */
  schema_changes?: 'apply' | 'ignore' | 'stop';
  /** What tables get that are made at the target. `data`: columns and a key. `full`, between databases that know structures (`abilities.structure` of their connectors): NOT NULL, defaults, sequences, keys, indexes, checks, comments and foreign keys of the source too, between different systems what both know; indexes and foreign keys are made when the rows are there. What stays behind is told in `warnings` of the stream. A table that is there is left as it is. Expressions of the source run at the target: choose it only for a source that you trust. */
  structure?: 'data' | 'full';
  /** Of a live synchronization: what happens when changes are lost at the source. `load`: the streams concerned are loaded anew by themselves. `stop`: it is paused, and a person decides. */
  on_gap?: 'load' | 'stop';
  /** Of a live synchronization: how much of its log the source may keep for it at most: a number and `MB`, `GB` or `TB`, or a number of bytes; at least 1 MB. Beyond it the source is let go, and its streams are loaded anew. */
  max_retained?: string | number;
  /** How often a run is expected to succeed: a number and `s`, `m`, `h` or `d`. When none has for so long, the synchronization is late, and alerts tell of it. Null when nothing is expected. */
  expect_every?: string | null;
  /** Keeps what each run replaces at the target, beside the tables and in the same transactions, so that runs can be undone. Null when nothing is kept. Only where the target is a database that can (`abilities.undo`), and for streams with a key. */
  undo?: {
    /** For how long: a number and `s`, `m`, `h` or `d`; at most 366d. */
    keep: string;
    /** A run that changes more rows of a stream is not kept, and cannot be undone. */
    max_rows?: number;
  } | null;
  /** Compares the contents of both ends by itself, so often. Null: only when it is asked for. */
  verify?: {
    /** How often: a number and `s`, `m`, `h` or `d`; at least 1m. */
    every: string;
  } | null;
}

export interface NewSynchronizationField {
  /** A field of the source. */
  from?: string;
  /** The field of the target; as `from` when left out. */
  to?: string;
  /** In place of `from`: a CEL expression over the fields of the source. */
  expression?: string;
  /** Casts the value; one that has no such value is rejected. */
  type?: 'text' | 'int64' | 'decimal' | 'float64' | 'boolean' | 'date' | 'time' | 'timestamp' | 'timestamptz' | 'uuid' | 'json' | 'binary';
}

export interface NewSynchronizationFilter {
  field: string;
  op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
  /** A list for `in`; left out for `is_null` and `not_null`. */
  value?: string | number | boolean | Array<string | number | boolean>;
}

export interface NewSynchronizationStream {
  /** The stream that is read, as discovery names it. */
  source: string;
  /** The stream that is written; the same name when left out. It is made when it is missing. */
  target?: string;
  /** `mirror`: the target becomes equal to the source. `incremental`: new and changed rows, found by `cursor`, written by `key`. `append`: new rows are added, never changed. `cdc`: live, from the log of the source: every committed change is at the target within a moment, deletions included. All streams of a synchronization are `cdc`, or none. */
  mode?: 'mirror' | 'incremental' | 'append' | 'cdc';
  /** Fields of the source that identify a row. */
  key?: Array<string>;
  cursor?: string | null;
  fields?: Array<NewSynchronizationField> | null;
  filter?: Array<NewSynchronizationFilter>;
  /** What happens at the target to rows that are deleted at the source: `mark` sets `_deleted_at`. */
  deletes?: 'delete' | 'mark' | 'keep';
}

export interface NewTracking {
  /** Who carries the parcel. */
  carrier?: string;
  /** What the carrier calls the parcel. */
  number?: string;
  /** Where the customer can see where it is. */
  url?: string;
}

export interface NewWebhook {
  /** What the endpoint is for. */
  name: string;
  /** Where events are posted to: https or http. Users and passwords belong into `headers`. */
  url: string;
  /** Which events are sent: types of the feed, with `*` for any text, such as `order.*`. All that the key may read, when left out. */
  types?: Array<string>;
  /** An expression (CEL) over `type`, `object_id` and `data`: only events for which it is true are sent. */
  condition?: string | null;
  /** `full`: `data` is the object as it was after the change; `thin`: `data` is its `id` alone. */
  payload?: 'full' | 'thin';
  /** `symmetric`: HMAC-SHA256 by a shared secret (`v1`); `ed25519`: a signature that the public key verifies (`v1a`). */
  signature?: 'symmetric' | 'ed25519';
  /** Headers that are sent along, by name. Their values are secrets: they come back as `"********"`, which sent again keeps them. */
  headers?: { [name: string]: unknown };
  /** How many events are under way to it at the same time. */
  max_in_flight?: number;
  /** How many attempts a second at most; null for any number. */
  rate?: number | null;
  /** Which event is the first: the one after this sequence of the feed, or the first there is (`start`). From now on, when left out. */
  from?: 'start' | number;
}

export interface NewWeight {
  /** At most four decimals. */
  value: number;
  /** Later versions of v1 may add values. */
  unit: 'g' | 'kg' | 'oz' | 'lb';
}

export interface Node {
  id: string;
  /** The name of its machine or container. */
  host: string;
  /** The id of its process there. */
  pid: number;
  /** `api` answers requests, `worker` runs synchronizations, `all` does both. */
  role: 'all' | 'api' | 'worker';
  /** `lost`: not seen for 15 seconds. It is forgotten after an hour. */
  status: 'alive' | 'lost';
  /** The version of its program. */
  version: string;
  /** The schema of the database that its program knows. */
  schema_version: number;
  started_at: string;
  /** When it last said that it is alive: every five seconds. */
  seen_at: string;
  /** How far its clock is ahead of the database's; negative when it is behind. */
  clock_ahead_ms: number;
  /** How many synchronizations it runs at the same time, at most. */
  max_runs: number;
  /** What it runs now. */
  runs: Array<{ id: string; sync_id: string; started_at: string }>;
  /** Parts of large runs of other nodes that it helps with. */
  parts: Array<{
    run_id: string;
    /** The name of the stream at the target. */
    stream: string;
    part: number;
  }>;
  /** What is wrong with it, in words. */
  problems: Array<string>;
}

export interface Order {
  id: string;
  status: OrderStatus;
  /** Σ quantity × price, less discounts, with shipping and taxes; exact. */
  total: number;
  created_at: string;
  updated_at: string;
  /** Goes up by one with every change. */
  version: number;
  customer_id: string;
  currency: string;
  external_id: string | null;
  items: Array<OrderLine>;
  shipping_address: Address | null;
  metadata: { [name: string]: unknown };
  /** Σ quantity × price. There when the order has a discount, a tax or shipping. */
  subtotal?: number;
  /** All discounts together. There when the order has a discount, a tax or shipping. */
  discount_total?: number;
  /** What shipping costs. There when the order has a discount, a tax or shipping. */
  shipping_total?: number;
  /** Of an order that was brought in with a total of its own: what that is more, or less, than its parts come to. */
  adjustment?: number;
  /** All taxes together. With `prices_include_tax` they are in the other parts, else they are added to them. There when the order has a discount, a tax or shipping. */
  tax_total?: number;
  prices_include_tax?: boolean;
  shipping?: OrderShipping;
  discounts?: Array<Discount>;
  taxes?: Array<OrderTax>;
  customer?: OrderCustomer;
  billing_address?: Address;
  payment?: OrderPayment;
  /** Words about the order. */
  note?: string;
  tags?: Array<string>;
  channel?: string;
  reserve?: true;
  imported?: true;
  /** When the customer ordered, of an order that was brought in. */
  placed_at?: string;
  /** How far it is shipped and returned. There when the order has a fulfilment, a return, or a refund of what was not shipped. Later versions of v1 may add values. */
  fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
  /** `payment.status`; with refunds `partially_refunded` or `refunded`. There when one of the two is. Later versions of v1 may add values. */
  payment_status?: string;
  /** All that was given back. There when the order has refunds. */
  refunded_total?: number;
  /** What is left of what was paid, and can still be given back: `total` less `refunded_total`, or 0 when `payment.status` says that nothing is. There when the order has refunds. */
  remaining_total?: number;
  fulfillments?: Array<Fulfillment>;
  returns?: Array<Return>;
  refunds?: Array<Refund>;
  /** The most lines that the order has had, where changes have left fewer: the lines behind are gone. */
  most_lines?: number;
  /** The last 100 changes by `PATCH` or by a synchronization, oldest first. */
  changes?: Array<OrderChange>;
  /** Every status the order has had, oldest first. */
  history: Array<OrderHistoryEntry>;
}

/** The order after it. */
export interface OrderAfter {
  id: string;
  status: OrderStatus;
  version: number;
  updated_at: string;
  /** How far it is shipped and returned. There when the order has a fulfilment, a return, or a refund of what was not shipped. Later versions of v1 may add values. */
  fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
  /** `payment.status`; with refunds `partially_refunded` or `refunded`. There when one of the two is. Later versions of v1 may add values. */
  payment_status?: string;
}

export interface OrderChange {
  /** The version that the change has made. */
  version: number;
  at: string;
  /** The id of the API key, or `hub` when it was a synchronization. */
  by: string;
  /** What has another value. */
  members: Array<string>;
  /** Where `items` has another value: how many lines there were before. */
  lines?: number;
}

export interface OrderCustomer {
  email?: string;
  name?: string;
  phone?: string;
  company?: string;
  /** Such as a VAT number. */
  tax_id?: string;
}

export interface OrderCustomerPatch {
  email?: string | null;
  name?: string | null;
  phone?: string | null;
  company?: string | null;
  /** Such as a VAT number. */
  tax_id?: string | null;
}

export interface OrderHistoryEntry {
  status: OrderStatus;
  at: string;
  reason: string | null;
}

export interface OrderLine {
  product_id: string;
  quantity: number;
  price: number;
  line_total: number;
  /** Whether the product was in the catalogue when the order came. */
  product_known: boolean;
  name?: string;
  sku?: string;
  variant?: string;
  discount?: Discount;
  tax?: Tax;
  metadata?: { [name: string]: unknown };
}

export interface OrderPatch {
  shipping_address?: AddressPatch | null;
  billing_address?: AddressPatch | null;
  customer?: OrderCustomerPatch | null;
  payment?: OrderPaymentPatch | null;
  /** Words about the order. */
  note?: string | null;
  tags?: Array<string> | null;
  /** Anything of yours, up to 16 KiB as JSON and 32 levels deep. */
  metadata?: { [name: string]: unknown } | null;
  items?: Array<NewOrderLine>;
  shipping?: OrderShippingPatch | null;
  discounts?: Array<{
    /** What the customer entered, or what you call it. */
    code?: string;
    /** So much off. Either this or `percent`. At most four decimals; it is taken as it is. */
    amount?: number;
    /** Such a part off. Either this or `amount`. At most four decimals. */
    percent?: number;
  }> | null;
  taxes?: Array<NewOrderTax> | null;
  /** Whether the prices, and that of shipping, have their taxes in them. They have not, when left out. */
  prices_include_tax?: boolean | null;
  /** What the order has to come to. When it comes to another total it is refused, and the error shows both. It is not kept. */
  expected_total?: number;
  /** Refuse unless the order is at this version. */
  expected_version?: number;
}

export interface OrderPayment {
  /** Later versions of v1 may add values. */
  status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
  /** Such as card or invoice. */
  method?: string;
  /** What the provider of the payment calls it. */
  reference?: string;
  paid_at?: string;
}

export interface OrderPaymentPatch {
  /** Later versions of v1 may add values. */
  status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed' | null;
  /** Such as card or invoice. */
  method?: string | null;
  /** What the provider of the payment calls it. */
  reference?: string | null;
  /** When it was paid. ISO 8601 with its zone; a bare date is midnight UTC. */
  paid_at?: string | null;
}

export interface OrderPiece {
  /** The place of the line in `items`, counted from 1: the same product may be in several lines. */
  line: number;
  quantity: number;
}

export interface OrderReceipt {
  id: string;
  status: OrderStatus;
  /** Σ quantity × price, less discounts, with shipping and taxes; exact. */
  total: number;
  created_at: string;
  /** Goes up by one with every change. */
  version: number;
  external_id: string | null;
  replayed?: true;
}

export interface OrderShipping {
  method?: string;
  price: number;
  tax?: Tax;
}

export interface OrderShippingPatch {
  method?: string | null;
  /** What shipping costs. At most four decimals; it is taken as it is. */
  price?: number | null;
  /** On the price of shipping. */
  tax?: {
    /** In percent: 19 is 19 %. At most four decimals. */
    rate?: number | null;
    /** What the tax is. When it is given, it counts; else it is computed from `rate`. At most four decimals; it is taken as it is. */
    amount?: number | null;
  } | null;
}

/** For a key without `orders:read`. */
export interface OrderState {
  id: string;
  status: OrderStatus;
  /** Goes up by one with every change. */
  version: number;
  updated_at: string;
}

/** Later versions of v1 may add values. */
export type OrderStatus = 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';

export interface OrderTax {
  name?: string;
  /** In percent. */
  rate?: number;
  /** What the tax is. */
  amount: number;
}

export interface OrderTransition {
  /** The state that the order is to be in. `x-transitions` has for each state those that an order may go to. */
  to: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
  reason?: string;
  /** With `to: returned`, of an order that has reserved its lines: put back into stock what has not come back before. */
  restock?: boolean;
  /** Refuse unless the order is at this version. */
  expected_version?: number;
}

export interface Outline {
  /** The forms of what may be anything by the schema of the connector. */
  forms: Array<OutlineForm>;
  /** The streams that can be read. */
  streams: Array<string>;
  /** Only the system itself knows the names of more. */
  is_partial: boolean;
  /** The streams that cannot be read. */
  unreadable: Array<UnreadableStream>;
}

export interface OutlineForm {
  /** The member of the configuration that it is the form of. */
  member: string;
  /** A JSON Schema; what is `writeOnly` is a secret. */
  schema: { [name: string]: unknown };
}

export interface Product {
  product_id: string;
  name: string;
  price: number;
  stock_quantity: number;
  categories: Array<string>;
  /** Goes up by one with every change. */
  version: number;
  created_at: string;
  updated_at: string;
  /** Whether the stock is kept by a ledger: see `GET /products/{product_id}/stock`. */
  track_stock?: boolean;
  allow_backorder?: boolean;
  sku?: string;
  barcode?: string;
  /** Later versions of v1 may add values. */
  status?: 'active' | 'draft' | 'archived';
  /** A price for each currency, by its code of three capital letters. `price` stays what it is: that of `SYNCLINE_CURRENCY`. */
  prices?: { [name: string]: unknown };
  weight?: Weight;
  variants?: Array<ProductVariant>;
  images?: Array<ProductImage>;
  /** As it was given. */
  attributes?: { [name: string]: unknown };
}

export interface ProductChange {
  /** Mandatory for a new product. */
  name?: string;
  /** At most four decimals. Mandatory for a new product. */
  price?: number;
  /** Units in stock; 0 for a new product. */
  stock_quantity?: number;
  /** Category names; none for a new product. */
  categories?: Array<string>;
  /** When you looked at the stock. A message with an older time than the stored one changes nothing. ISO 8601 with its zone; a bare date is midnight UTC. */
  stock_as_of?: string;
  /** Whether the stock is kept by a ledger, and orders can reserve from it. It begins with `stock_quantity`, at the location `default`. */
  track_stock?: boolean;
  /** Whether orders may reserve more than there is. Only with `track_stock`. */
  allow_backorder?: boolean;
  /** What you call it where it is kept. */
  sku?: string | null;
  /** Such as an EAN or a UPC. */
  barcode?: string | null;
  /** For you and your systems; orders are taken whatever it is. Later versions of v1 may add values. */
  status?: 'active' | 'draft' | 'archived' | null;
  /** A price for each currency, by its code of three capital letters. `price` stays what it is: that of `SYNCLINE_CURRENCY`. Up to 200, each with at most four decimals. */
  prices?: { [name: string]: unknown } | null;
  weight?: NewWeight | null;
  /** Stock is kept by product: a variant whose stock is to be tracked is a product of its own. Each has another `sku`. */
  variants?: Array<NewProductVariant> | null;
  /** The first is the one that is shown. */
  images?: Array<NewProductImage> | null;
  /** Anything of yours, up to 16 KiB as JSON and 32 levels deep. */
  attributes?: { [name: string]: unknown } | null;
  /** Change the product only if it has this version. */
  expected_version?: number;
}

export interface ProductImage {
  url: string;
  alt?: string;
}

export interface ProductInput {
  product_id: string;
  /** Mandatory for a new product. */
  name?: string;
  /** At most four decimals. Mandatory for a new product. */
  price?: number;
  /** Units in stock; 0 for a new product. */
  stock_quantity?: number;
  /** Category names; none for a new product. */
  categories?: Array<string>;
  /** When you looked at the stock. A message with an older time than the stored one changes nothing. ISO 8601 with its zone; a bare date is midnight UTC. */
  stock_as_of?: string;
  /** Whether the stock is kept by a ledger, and orders can reserve from it. It begins with `stock_quantity`, at the location `default`. */
  track_stock?: boolean;
  /** Whether orders may reserve more than there is. Only with `track_stock`. */
  allow_backorder?: boolean;
  /** What you call it where it is kept. */
  sku?: string | null;
  /** Such as an EAN or a UPC. */
  barcode?: string | null;
  /** For you and your systems; orders are taken whatever it is. Later versions of v1 may add values. */
  status?: 'active' | 'draft' | 'archived' | null;
  /** A price for each currency, by its code of three capital letters. `price` stays what it is: that of `SYNCLINE_CURRENCY`. Up to 200, each with at most four decimals. */
  prices?: { [name: string]: unknown } | null;
  weight?: NewWeight | null;
  /** Stock is kept by product: a variant whose stock is to be tracked is a product of its own. Each has another `sku`. */
  variants?: Array<NewProductVariant> | null;
  /** The first is the one that is shown. */
  images?: Array<NewProductImage> | null;
  /** Anything of yours, up to 16 KiB as JSON and 32 levels deep. */
  attributes?: { [name: string]: unknown } | null;
}

/** For a key without `products:read`. */
export interface ProductState {
  product_id: string;
  /** Goes up by one with every change. */
  version: number;
  updated_at: string;
  result: 'updated' | 'unchanged';
  changed: Array<string>;
}

export interface ProductStock {
  product_id: string;
  /** Units that are there. */
  on_hand: number;
  /** Units of those that orders wait for. */
  reserved: number;
  /** `on_hand` − `reserved`. Less than 0 when more was promised than there is. */
  available: number;
  /** None when the stock is not tracked. */
  locations: Array<StockOfLocation>;
  track_stock: boolean;
  allow_backorder: boolean;
  /** The ledger, newest first. Σ `delta` is `on_hand`. */
  movements: Array<StockMovement>;
}

export interface ProductVariant {
  sku: string;
  name?: string;
  barcode?: string;
  /** What tells it from the others. */
  options?: { [name: string]: unknown };
  price?: number;
  /** A price for each currency, by its code of three capital letters. `price` stays what it is: that of `SYNCLINE_CURRENCY`. */
  prices?: { [name: string]: unknown };
  weight?: Weight;
}

/** Of a verify or a repair: what was found. After a repair: what is left. */
export interface Proof {
  /** `equal`: the target has what the source has, through the mapping. `differs`: rows were seen to differ twice, with nothing under way. `changing`: rows that differed changed again whenever they were looked at. */
  result: 'equal' | 'differs' | 'changing';
  /** Rows of the source that belong at the target. */
  rows: number;
  /** SHA-256 of these rows, in hexadecimal. */
  digest: string;
  /** What it is made of: the rows as they were read, or the digests of their ranges, which the source has made itself. Two digests tell something when this is the same. */
  digest_of?: 'rows' | 'ranges';
  /** Rows of the source that the target lacks. */
  missing: number;
  /** Rows of the target that the source lacks, where the definition removes or marks them. */
  extra: number;
  /** Rows that both have, and not the same. */
  different: number;
  /** Rows that were on their way whenever they were looked at. */
  changing: number;
  /** Rows of the target that the source lacks, where the definition leaves them there. */
  kept: number;
  /** Rows that are rejected and wait, and so are not missing. */
  quarantined: number;
  /** More rows differ than were told apart: the numbers are the least there are. */
  more?: boolean;
  /** `ledger`: the target cannot be read back, so what it has accepted was compared. */
  by: 'target' | 'ledger';
  /** Of a live stream: the place in the log of the source that it holds for. */
  position: string | null;
  /** How long it took. */
  duration_ms: number;
  /** Some of the rows that differ, with what both ends have: at most 20. */
  samples: Array<DifferentRow>;
}

export interface Refund {
  id: string;
  created_at: string;
  /** What was given back. */
  amount: number;
  /** What it is called in the system where it was made: it came with its order by a synchronization. */
  external_id?: string;
  lines?: Array<RefundedPiece>;
  reason?: string;
  restock: boolean;
  location?: string;
}

export interface RefundedPiece {
  /** The place of the line in `items`, counted from 1: the same product may be in several lines. */
  line: number;
  quantity: number;
  /** What it comes to, unless the amount of the whole was given. */
  amount?: number;
}

export interface Reject {
  id: string;
  /** The stream at the source. */
  stream: string;
  /** The stream at the target. */
  target: string;
  /** `resolved`: the row was written after all, or is gone. */
  status: 'open' | 'resolved';
  /** The field at fault, when it is one. */
  field: string | null;
  reason: string;
  /** The values of its key at the source: as text; booleans as they are. */
  key: Array<string | boolean | null> | null;
  /** The row as it was read: values as text, digit by digit; booleans as they are. */
  row: { [name: string]: unknown };
  /** The run that rejected it. */
  first_run_id: string;
  /** The last run that saw it refused. */
  last_run_id: string;
  created_at: string;
  updated_at: string;
  resolved_at: string | null;
}

export interface ResetSynchronization {
  /** Which streams; all when left out. */
  streams?: Array<string>;
}

export interface Return {
  id: string;
  created_at: string;
  lines: Array<OrderPiece>;
  reason?: string;
  restock: boolean;
  location?: string;
}

export interface RotateHook {
  /** For how long what is replaced works on. */
  overlap_seconds?: number;
  /** A new secret: it is replaced, and the address stays. Without it, the address is replaced. */
  secret?: string;
}

export interface RotateWebhook {
  /** How long the secrets before sign along, in seconds; 0 ends them at once. */
  overlap_seconds?: number;
  /** The kind of the new secret; the same as before, when left out. */
  signature?: 'symmetric' | 'ed25519';
}

export interface RowCounts {
  read: number;
  inserted: number;
  updated: number;
  deleted: number;
  unchanged: number;
  rejected: number;
}

export interface RowLeft {
  /** The stream at the target. */
  target: string;
  /** The values of its key, as text. */
  key: { [name: string]: unknown };
  /** `changed`: it is not what the run has written; `removed`: others have removed it; `added`: the run had removed it, and it is there again. */
  reason: 'changed' | 'removed' | 'added';
}

export interface Run {
  id: string;
  sync_id: string;
  status: RunStatus;
  /** What started it. */
  trigger: 'manual' | 'schedule' | 'change' | 'retry';
  /** The hook whose call started it, or the run before it in a chain; null when neither did. */
  triggered_by: { type: 'run' | 'hook'; id: string } | null;
  mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
  /** Which attempt it is: 1, and one more with every retry. */
  attempt: number;
  /** It has been cancelled; while it is `running`, it is about to stop. */
  cancel_requested: boolean;
  created_at: string;
  /** When a run that is `retrying` is tried again. */
  next_attempt_at: string | null;
  /** When it began for the first time. */
  started_at: string | null;
  finished_at: string | null;
  /** How long it was at work, without the waiting between attempts. */
  duration_ms: number | null;
  streams: Array<RunStream>;
  totals: RunTotals;
  error: RunError | null;
  /** Only of a run that follows the log of its source. */
  live?: true;
  /** Of a live run: whether it was closed after its hour, and another one went on without a pause. */
  rolled?: boolean;
  lag?: Lag;
  undone?: Undone;
}

export interface RunChanges {
  /** Rows that would be inserted. */
  inserted: number;
  /** Rows that would be updated. */
  updated: number;
  /** Rows that would be deleted. */
  deleted: number;
  /** Rows that would stay as they are. */
  unchanged: number;
  /** Some of them; of a preview only. */
  samples?: Array<ChangedRow>;
}

export interface RunCounts {
  /** How many ended. */
  total: number;
  succeeded: number;
  partial: number;
  failed: number;
  cancelled: number;
  skipped: number;
  /** Wait to start at this moment; not in `total`. */
  queued: number;
  /** Under way at this moment; not in `total`. */
  running: number;
  /** Wait to be tried again at this moment; not in `total`. */
  retrying: number;
  /** Wait for a person at this moment; not in `total`. */
  needs_approval: number;
}

export interface RunError {
  /** What it takes to recover: only `transient` is retried by itself. */
  kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
  code: string;
  message: string;
  /** What to do next. */
  hint: string | null;
  /** Seconds after which the system wants to be asked again. */
  retry_after?: number;
  /** At which end it happened; only where it was one of them. */
  end?: 'source' | 'target';
  /** The place in the definition that does not fit any more, such as `streams[0].fields[3].from`; only where it is one. */
  field?: string;
}

/** Later versions of v1 may add some. */
export type RunStatus = 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';

export interface RunStream {
  /** The stream at the source. */
  name: string;
  /** The stream at the target. */
  target: string;
  status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
  /** Rows that were read. */
  read: number;
  /** Rows that are new at the target. */
  inserted: number;
  /** Rows that were changed at the target. */
  updated: number;
  /** Rows that were removed or marked at the target. */
  deleted: number;
  /** Rows that were equal already. */
  unchanged: number;
  /** Rows that were rejected. */
  rejected: number;
  /** About how much was moved. */
  bytes: number;
  rows_per_second: number;
  /** About how many rows there are to read, when the source knows. */
  estimated_total: number | null;
  /** The position of the last batch that is in the target. */
  checkpoint: string | null;
  error: RunError | null;
  /** Of a live run: whether the stream is being loaded, follows the log of the source, or has stopped until a person acts. */
  live?: 'loading' | 'live' | 'stopped';
  /** What of the fields of the source was no longer as at the last run; only when something was. */
  schema_changes?: Array<string>;
  /** What could not be made of the structure of the target; only when something could not. */
  warnings?: Array<string>;
  changes?: RunChanges;
  proof?: Proof;
}

export interface RunTotals {
  /** Rows that were read. */
  read: number;
  /** Rows that are new at the target. */
  inserted: number;
  /** Rows that were changed at the target. */
  updated: number;
  /** Rows that were removed or marked at the target. */
  deleted: number;
  /** Rows that were equal already. */
  unchanged: number;
  /** Rows that were rejected. */
  rejected: number;
  /** About how much was moved. */
  bytes: number;
}

export interface Sample {
  fields: Array<StreamField>;
  rows: Array<{ [name: string]: unknown }>;
  /** Fields of which a value was too long to be shown whole. */
  truncated: Array<string>;
  /** Why some rows could not be read. */
  rejects: Array<string>;
}

export interface SampleField {
  name: string;
  type: 'text' | 'int64' | 'decimal' | 'float64' | 'boolean' | 'date' | 'time' | 'timestamp' | 'timestamptz' | 'uuid' | 'json' | 'binary';
}

export interface SampleFile {
  /** The stream that the file is. */
  name: string;
  /** How many rows it is written with. */
  rows: number;
}

export interface SampleFiles {
  /** The folder, as the configuration of a source of type `files` names it. */
  path: string;
  files: Array<SampleFile>;
}

export interface SavedSource {
  id: string;
  name: string;
  type: string;
  /** Secrets are shown as `"********"`; sent back, they are kept. */
  config: { [name: string]: unknown };
  /** What the last check has found. */
  status: 'unchecked' | 'ok' | 'failing';
  status_message: string | null;
  checked_at: string | null;
  created_at: string;
  updated_at: string;
  /** What of it does not work, as far as its configuration tells by itself: streams that cannot be read, and why. */
  warnings: Array<string>;
}

export interface SavedSynchronization {
  id: string;
  name: string;
  status: 'active' | 'paused';
  source_id: string;
  target_id: string;
  direction: 'source_to_target';
  schedule: Schedule;
  /** With every default filled in. */
  streams: Array<SynchronizationStream>;
  on_reject: 'quarantine' | 'fail';
  guard: {
    /** A mirror that would delete a larger part of the target’s rows needs approval. */
    max_delete_percent?: number;
    /** Whether a mirror may find no rows where there were some, without approval. */
    allow_empty?: boolean;
  };
  schema_changes: 'apply' | 'ignore' | 'stop';
  /** What tables get that are made at the target. `data`: columns and a key. `full`, between databases that know structures (`abilities.structure` of their connectors): NOT NULL, defaults, sequences, keys, indexes, checks, comments and foreign keys of the source too, between different systems what both know; indexes and foreign keys are made when the rows are there. What stays behind is told in `warnings` of the stream. A table that is there is left as it is. Expressions of the source run at the target: choose it only for a source that you trust. */
  structure?: 'data' | 'full';
  /** Of a live synchronization: what happens when changes are lost at the source. `load`: the streams concerned are loaded anew by themselves. `stop`: it is paused, and a person decides. */
  on_gap?: 'load' | 'stop';
  /** Of a live synchronization: how much of its log the source may keep for it at most, such as `10 GB`. Beyond it the source is let go, and its streams are loaded anew. */
  max_retained: string;
  /** How often a run is expected to succeed: a number and `s`, `m`, `h` or `d`. When none has for so long, the synchronization is late, and alerts tell of it. Null when nothing is expected. */
  expect_every: string | null;
  /** Keeps what each run replaces at the target, beside the tables and in the same transactions, so that runs can be undone. Null when nothing is kept. Only where the target is a database that can (`abilities.undo`), and for streams with a key. */
  undo: {
    /** For how long: a number and `s`, `m`, `h` or `d`; at most 366d. */
    keep: string;
    /** A run that changes more rows of a stream is not kept, and cannot be undone. */
    max_rows?: number;
  } | null;
  /** Compares the contents of both ends by itself, so often. Null: only when it is asked for. */
  verify: {
    /** How often: a number and `s`, `m`, `h` or `d`; at least 1m. */
    every: string;
  } | null;
  verified: Verified | null;
  /** Its health, as its runs tell it. */
  health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
  /** Why it is so, for programs: go by this and not by the words of `health_reason`. */
  health_code:
    | 'running'
    | 'loading'
    | 'queued'
    | 'paused'
    | 'paused_after_failures'
    | 'needs_approval'
    | 'run_failed'
    | 'retrying'
    | 'never_ran'
    | 'rows_rejected'
    | 'run_cancelled'
    | 'streams_stopped'
    | 'behind'
    | 'overdue'
    | 'differs'
    | 'synced';
  /** The same in words, with what to do. */
  health_reason: string;
  lag: Lag | null;
  /** Of a live synchronization: what the source keeps of its log for it. */
  retained: {
    /** Of its log that the source keeps, where it tells. */
    bytes: number | null;
    /** `max_retained`, in bytes. */
    max: number;
    /** In how many seconds `max` is reached as the log grows now, if nothing more were followed. */
    lasts_seconds: number | null;
  } | null;
  last_run: Run | null;
  current_run: Run | null;
  /** When it runs next by itself. */
  next_run_at: string | null;
  created_at: string;
  updated_at: string;
  /** What works, but perhaps not as it was meant: other synchronizations write the same tables. Empty when there is nothing to say. */
  warnings: Array<string>;
}

/** When it runs. `on_change` runs as soon as something changes, and is for sources that tell so, such as the shop, and for live synchronizations (mode `cdc`), which have no other. `after` runs whenever a run of another synchronization has succeeded, also in part; circles are refused. Without it, `manual`; for the shop and for live ones, `on_change`. */
export type Schedule =
  | { type: 'manual' }
  | {
      type: 'interval';
      /** A number and `s`, `m`, `h` or `d`. */
      every: string;
    }
  | {
      type: 'cron';
      /** Minute, hour, day of month, month, day of week; with a sixth field in front, seconds. */
      expression: string;
      /** A name of the IANA database. */
      timezone?: string;
    }
  | { type: 'on_change' }
  | {
      type: 'after';
      /** The synchronization that runs before this one. */
      sync_id: string;
    };

export interface ScheduleQuestion {
  schedule: NewSchedule;
  /** How many times to tell. */
  count?: number;
}

export interface ScheduleTimes {
  schedule: Schedule;
  /** When it comes due next; empty for `manual`, `on_change` and `after`. */
  next_times: Array<string>;
}

export interface SignInSession {
  id: string;
  /** Whether it is the one that this request came by. */
  current: boolean;
  /** Where the sign-in came from. */
  address: string | null;
  created_at: string;
  /** Exact to about five minutes. */
  last_used_at: string;
  /** The latest end. It ends earlier without a request for 24 hours, or with its key. */
  expires_at: string;
}

export interface Source {
  id: string;
  name: string;
  type: string;
  /** Secrets are shown as `"********"`; sent back, they are kept. */
  config: { [name: string]: unknown };
  /** What the last check has found. */
  status: 'unchecked' | 'ok' | 'failing';
  status_message: string | null;
  checked_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface StockMovement {
  id: string;
  product_id: string;
  location: string;
  /** Why. Later versions of v1 may add values. */
  kind: 'opened' | 'adjusted' | 'counted' | 'shipped' | 'returned' | 'closed';
  /** How many units came, or went away. */
  delta: number;
  /** What was at this location after it; to a key with `products:read`. */
  on_hand?: number;
  reason: string | null;
  /** For which order, to a key with `orders:read`; null to others. */
  order_id: string | null;
  /** Of a count: when it was made, if that was earlier. */
  as_of: string | null;
  at: string;
}

export interface StockOfLocation {
  location: string;
  /** Units that are there. */
  on_hand: number;
  /** Units of those that orders wait for. */
  reserved: number;
  /** `on_hand` − `reserved`. Less than 0 when more was promised than there is. */
  available: number;
}

export interface Stream {
  name: string;
  kind: 'table' | 'view' | 'file' | 'resource';
  fields: Array<StreamField>;
  /** The fields that tell rows apart. */
  key: Array<string>;
  /** Fields that can tell what is new, the best first. */
  cursors: Array<string>;
  writable: boolean;
  /** Whether it can be read. Where it cannot, `note` says why. */
  readable: boolean;
  /** What is worth knowing of this stream. */
  note: string | null;
  estimated_rows: number | null;
  /** How much room its rows take, as the system guesses; null where it does not tell. */
  estimated_bytes: number | null;
}

export interface StreamField {
  name: string;
  type: 'text' | 'int64' | 'decimal' | 'float64' | 'boolean' | 'date' | 'time' | 'timestamp' | 'timestamptz' | 'uuid' | 'json' | 'binary';
  nullable: boolean;
  /** The system's own type. */
  native: string | null;
}

export interface SyncedProduct {
  product_id: string;
  name: string;
  price: number;
  stock_quantity: number;
  categories: Array<string>;
  /** Goes up by one with every change. */
  version: number;
  created_at: string;
  updated_at: string;
  /** Whether the stock is kept by a ledger: see `GET /products/{product_id}/stock`. */
  track_stock?: boolean;
  allow_backorder?: boolean;
  sku?: string;
  barcode?: string;
  /** Later versions of v1 may add values. */
  status?: 'active' | 'draft' | 'archived';
  /** A price for each currency, by its code of three capital letters. `price` stays what it is: that of `SYNCLINE_CURRENCY`. */
  prices?: { [name: string]: unknown };
  weight?: Weight;
  variants?: Array<ProductVariant>;
  images?: Array<ProductImage>;
  /** As it was given. */
  attributes?: { [name: string]: unknown };
  result: 'created' | 'updated' | 'unchanged';
  /** The fields that have a new value. */
  changed: Array<string>;
}

export interface Synchronization {
  id: string;
  name: string;
  status: 'active' | 'paused';
  source_id: string;
  target_id: string;
  direction: 'source_to_target';
  schedule: Schedule;
  /** With every default filled in. */
  streams: Array<SynchronizationStream>;
  on_reject: 'quarantine' | 'fail';
  guard: {
    /** A mirror that would delete a larger part of the target’s rows needs approval. */
    max_delete_percent?: number;
    /** Whether a mirror may find no rows where there were some, without approval. */
    allow_empty?: boolean;
  };
  schema_changes: 'apply' | 'ignore' | 'stop';
  /** What tables get that are made at the target. `data`: columns and a key. `full`, between databases that know structures (`abilities.structure` of their connectors): NOT NULL, defaults, sequences, keys, indexes, checks, comments and foreign keys of the source too, between different systems what both know; indexes and foreign keys are made when the rows are there. What stays behind is told in `warnings` of the stream. A table that is there is left as it is. Expressions of the source run at the target: choose it only for a source that you trust. */
  structure?: 'data' | 'full';
  /** Of a live synchronization: what happens when changes are lost at the source. `load`: the streams concerned are loaded anew by themselves. `stop`: it is paused, and a person decides. */
  on_gap?: 'load' | 'stop';
  /** Of a live synchronization: how much of its log the source may keep for it at most, such as `10 GB`. Beyond it the source is let go, and its streams are loaded anew. */
  max_retained: string;
  /** How often a run is expected to succeed: a number and `s`, `m`, `h` or `d`. When none has for so long, the synchronization is late, and alerts tell of it. Null when nothing is expected. */
  expect_every: string | null;
  /** Keeps what each run replaces at the target, beside the tables and in the same transactions, so that runs can be undone. Null when nothing is kept. Only where the target is a database that can (`abilities.undo`), and for streams with a key. */
  undo: {
    /** For how long: a number and `s`, `m`, `h` or `d`; at most 366d. */
    keep: string;
    /** A run that changes more rows of a stream is not kept, and cannot be undone. */
    max_rows?: number;
  } | null;
  /** Compares the contents of both ends by itself, so often. Null: only when it is asked for. */
  verify: {
    /** How often: a number and `s`, `m`, `h` or `d`; at least 1m. */
    every: string;
  } | null;
  verified: Verified | null;
  /** Its health, as its runs tell it. */
  health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
  /** Why it is so, for programs: go by this and not by the words of `health_reason`. */
  health_code:
    | 'running'
    | 'loading'
    | 'queued'
    | 'paused'
    | 'paused_after_failures'
    | 'needs_approval'
    | 'run_failed'
    | 'retrying'
    | 'never_ran'
    | 'rows_rejected'
    | 'run_cancelled'
    | 'streams_stopped'
    | 'behind'
    | 'overdue'
    | 'differs'
    | 'synced';
  /** The same in words, with what to do. */
  health_reason: string;
  lag: Lag | null;
  /** Of a live synchronization: what the source keeps of its log for it. */
  retained: {
    /** Of its log that the source keeps, where it tells. */
    bytes: number | null;
    /** `max_retained`, in bytes. */
    max: number;
    /** In how many seconds `max` is reached as the log grows now, if nothing more were followed. */
    lasts_seconds: number | null;
  } | null;
  last_run: Run | null;
  current_run: Run | null;
  /** When it runs next by itself. */
  next_run_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface SynchronizationField {
  /** A field of the source. */
  from?: string;
  /** In place of `from`: a CEL expression over the fields of the source. */
  expression?: string;
  to: string;
  type?: 'text' | 'int64' | 'decimal' | 'float64' | 'boolean' | 'date' | 'time' | 'timestamp' | 'timestamptz' | 'uuid' | 'json' | 'binary';
}

export interface SynchronizationFilter {
  field: string;
  op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
  value?: string | Array<string>;
}

export interface SynchronizationMetrics {
  sync_id: string;
  name: string;
  /** Whether it follows the log of its source. */
  live: boolean;
  /** Of a live one: what the source keeps of its log for it, where it tells. */
  retained_bytes: number | null;
  runs: RunCounts;
  rows: RowCounts;
  /** Bytes that were read. */
  bytes: number;
  /** What was read, for each second that runs were at work. */
  throughput: { rows_per_second: number; bytes_per_second: number };
  duration_ms: { p50: number | null; p95: number | null; max: number | null };
  /** Seconds since the last successful run of an active synchronization began; of a live one, how far it is behind its source; of several the largest. Null when there was none. */
  lag_seconds: number | null;
  /** Succeeded and partial runs as a part of these and the failed ones, from 0 to 1; null without any. */
  success_rate: number | null;
}

export interface SynchronizationStream {
  source: string;
  target: string;
  mode: 'mirror' | 'incremental' | 'append' | 'cdc';
  key: Array<string>;
  cursor: string | null;
  fields: Array<SynchronizationField> | null;
  filter: Array<SynchronizationFilter>;
  deletes: 'delete' | 'mark' | 'keep';
}

export interface SynchronizationVersion {
  /** Counts the changes: the first is 1. */
  version: number;
  /** Whether it is what the synchronization does now. */
  current: boolean;
  saved_at: string;
  /** Who saved it, as in the audit; null for what was saved before versions were kept. */
  actor: string | null;
  /** What was sent; empty for the first. */
  fields: Array<string>;
  /** The version that this one is a copy of, when it was restored. */
  restored: number | null;
  /** What it was called then. */
  name: string;
  source_id: string;
  target_id: string;
}

export interface SynchronizationVersionWhole {
  /** Counts the changes: the first is 1. */
  version: number;
  /** Whether it is what the synchronization does now. */
  current: boolean;
  saved_at: string;
  /** Who saved it, as in the audit; null for what was saved before versions were kept. */
  actor: string | null;
  /** What was sent; empty for the first. */
  fields: Array<string>;
  /** The version that this one is a copy of, when it was restored. */
  restored: number | null;
  /** What it was called then. */
  name: string;
  source_id: string;
  target_id: string;
  /** Everything that it was told, as `PUT` of the synchronization takes it. */
  definition: { [name: string]: unknown };
}

export interface Tax {
  /** In percent. */
  rate?: number;
  /** What the tax is. */
  amount: number;
}

export interface Tracking {
  /** Who carries the parcel. */
  carrier?: string;
  /** What the carrier calls the parcel. */
  number?: string;
  /** Where the customer can see where it is. */
  url?: string;
}

export interface TriedSynchronization {
  schedule: Schedule;
  /** With every default filled in. */
  streams: Array<SynchronizationStream>;
  /** What works, but perhaps not as it was meant. Empty when there is nothing to say. */
  warnings: Array<string>;
  sample: {
    /** The fields that are read of the source. */
    read: Array<SampleField>;
    /** The fields that are written to the target. */
    written: Array<SampleField>;
    rows: Array<{
      /** Values as text, digit by digit; booleans as they are. */
      before: { [name: string]: unknown };
      /** Values as text, digit by digit; booleans as they are. */
      after: { [name: string]: unknown } | null;
      /** The field at fault when the row would be rejected. */
      field: string | null;
      /** Why the row would be rejected. */
      reason: string | null;
    }>;
  } | null;
}

export interface UndoPreview {
  /** Rows that have their old values again, or are there again. */
  restored: number;
  /** Rows that the run had inserted, and that are gone again. */
  removed: number;
  /** Rows that are left as they are, as others have changed them since the run. */
  left: number;
  streams: Array<UndoPreviewStream>;
}

export interface UndoPreviewStream {
  /** The stream at the target. */
  target: string;
  /** Rows that have their old values again, or are there again. */
  restored: number;
  /** Rows that the run had inserted, and that are gone again. */
  removed: number;
  /** Rows that are left as they are, as others have changed them since the run. */
  left: number;
  /** Some of the rows that would be restored or removed: as they are, and as they would be. */
  samples: Array<{
    /** What undoing the run would do to the row. */
    change: 'insert' | 'update' | 'delete';
    /** The values of a row, as text; null where there is none. */
    key: { [name: string]: unknown } | null;
    /** The values of a row, as text; null where there is none. */
    before: { [name: string]: unknown } | null;
    /** The values of a row, as text; null where there is none. */
    after: { [name: string]: unknown } | null;
  }>;
  /** Some of those that would be left: 100 at most. */
  rows_left: Array<RowLeft>;
}

/** Only of a run that was undone. */
export interface Undone {
  at: string;
  /** The id of the key that asked for it, or who else it was. */
  by: string;
  /** Rows that have their old values again, or are there again. */
  restored: number;
  /** Rows that the run had inserted, and that are gone again. */
  removed: number;
  /** Rows that are left as they are, as others have changed them since the run. */
  left: number;
  /** Some of those that were left: 100 at most of each stream. */
  rows_left: Array<RowLeft>;
}

export interface UnreadableStream {
  name: string;
  /** What it lacks, each by its name, such as a class. */
  needs: Array<string>;
  /** The same in words. */
  reason: string;
}

export interface UnsavedSample {
  /** A connector, such as `postgres`. */
  type: string;
  /** What the connector needs; `GET /datasync/connectors` shows the schema of each type. */
  config: { [name: string]: unknown };
  /** A stored source whose secrets stand for `"********"` in the configuration: to try a change before saving it. */
  id?: string;
  /** The name of the stream. */
  stream: string;
  /** How many rows to show. */
  limit?: number;
}

export interface UnsavedSource {
  /** A connector, such as `postgres`. */
  type: string;
  /** What the connector needs; `GET /datasync/connectors` shows the schema of each type. */
  config: { [name: string]: unknown };
  /** A stored source whose secrets stand for `"********"` in the configuration: to try a change before saving it. */
  id?: string;
}

export interface UnsavedSynchronization {
  /** The synchronization that this is a change of: what it writes itself is nothing to be warned of. */
  sync_id?: string;
  /** What people call it. */
  name?: string;
  /** The source that is read. */
  source_id: string;
  /** The source that is written to. */
  target_id: string;
  streams: Array<NewSynchronizationStream>;
  /** `two_way` is not there yet and is refused. */
  direction?: 'source_to_target' | 'two_way';
  schedule?: NewSchedule;
  /** What happens when a row cannot be written: the row is rejected and the others go on, or the stream fails. */
  on_reject?: 'quarantine' | 'fail';
  guard?: {
    /** A mirror that would delete a larger part of the target’s rows needs approval. */
    max_delete_percent?: number;
    /** Whether a mirror may find no rows where there were some, without approval. */
    allow_empty?: boolean;
  };
  /** What happens when the fields of the source change: apply it to the target, ignore new fields, or stop the run. */
  schema_changes?: 'apply' | 'ignore' | 'stop';
  /** What tables get that are made at the target. `data`: columns and a key. `full`, between databases that know structures (`abilities.structure` of their connectors): NOT NULL, defaults, sequences, keys, indexes, checks, comments and foreign keys of the source too, between different systems what both know; indexes and foreign keys are made when the rows are there. What stays behind is told in `warnings` of the stream. A table that is there is left as it is. Expressions of the source run at the target: choose it only for a source that you trust. */
  structure?: 'data' | 'full';
  /** Of a live synchronization: what happens when changes are lost at the source. `load`: the streams concerned are loaded anew by themselves. `stop`: it is paused, and a person decides. */
  on_gap?: 'load' | 'stop';
  /** Of a live synchronization: how much of its log the source may keep for it at most: a number and `MB`, `GB` or `TB`, or a number of bytes; at least 1 MB. Beyond it the source is let go, and its streams are loaded anew. */
  max_retained?: string | number;
  /** How often a run is expected to succeed: a number and `s`, `m`, `h` or `d`. When none has for so long, the synchronization is late, and alerts tell of it. Null when nothing is expected. */
  expect_every?: string | null;
  /** Keeps what each run replaces at the target, beside the tables and in the same transactions, so that runs can be undone. Null when nothing is kept. Only where the target is a database that can (`abilities.undo`), and for streams with a key. */
  undo?: {
    /** For how long: a number and `s`, `m`, `h` or `d`; at most 366d. */
    keep: string;
    /** A run that changes more rows of a stream is not kept, and cannot be undone. */
    max_rows?: number;
  } | null;
  /** Compares the contents of both ends by itself, so often. Null: only when it is asked for. */
  verify?: {
    /** How often: a number and `s`, `m`, `h` or `d`; at least 1m. */
    every: string;
  } | null;
  /** Show rows of the stream at this place of `streams`, counted from 0. */
  sample_of?: number;
  /** How many rows to show. */
  limit?: number;
}

/** What was found when all streams were compared last, by a verify or a repair; null before the first. */
export interface Verified {
  /** When it was found. */
  at: string;
  /** `equal`: the target has what the source has, through the mapping. `differs`: rows were seen to differ twice, with nothing under way. `changing`: rows that differed changed again whenever they were looked at. */
  result: 'equal' | 'differs' | 'changing';
  /** Rows of the source that belong at the target, of all streams. */
  rows: number;
  /** SHA-256 of these rows; of several streams that of their digests. */
  digest: string;
  missing: number;
  extra: number;
  different: number;
  /** The run that found it, with samples. */
  run_id: string;
  /** What was written to the target since then, so that it is not known whether it still holds; null while it is the last that is known. A run puts in doubt what differed, an undo whatever was found. */
  since: {
    /** When that was. */
    at: string;
    /** Whether a run has written, or was undone. */
    by: 'run' | 'undo';
    /** Which one. */
    run_id: string;
  } | null;
}

export interface Webhook {
  id: string;
  name: string;
  url: string;
  types: Array<string>;
  condition: string | null;
  payload: 'full' | 'thin';
  signature: 'symmetric' | 'ed25519';
  /** Each value as `"********"`. */
  headers: { [name: string]: unknown };
  max_in_flight: number;
  rate: number | null;
  /** What it is told of: what the keys that saved its `types` may read of them. To change it, have something sent again or look at its deliveries, a key needs all of these. */
  scopes: Array<
    | 'datasync:read'
    | 'datasync:write'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'webhooks'
    | 'assistant:write'
    | 'admin'
  >;
  status: 'active' | 'paused' | 'disabled';
  /** Why it is paused or disabled, in words. */
  status_reason: string | null;
  status_at: string;
  /** The sequence of the feed up to which events were sent, or are among `waiting` or `failed`. */
  position: number;
  /** Deliveries that wait for another attempt, or behind such a one of the same object. */
  waiting: number;
  /** Deliveries given up after the last attempt. They can be replayed. */
  failed: number;
  /** The first failure that no success has followed. */
  failing_since: string | null;
  /** When the next of those that wait is tried. */
  next_attempt_at: string | null;
  last_delivered_at: string | null;
  /** Of ed25519: what verifies its signatures. */
  public_key: string | null;
  /** The secrets that sign at present: several after a rotation. */
  secrets: Array<WebhookSecret>;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface WebhookAttempt {
  at: string;
  duration_ms: number;
  response_status: number | null;
  /** The first KiB of it. */
  response_body: string | null;
  error: string | null;
}

export interface WebhookDelivery {
  /** That of the event in the feed. */
  sequence: number;
  /** The id of the event, sent as `webhook-id`. */
  message_id: string;
  type: string;
  object_id: string;
  status: 'waiting' | 'delivered' | 'failed';
  /** A replay begins to count anew; probes of an endpoint that fails are not counted. */
  attempts: number;
  /** When the event happened. */
  created_at: string;
  /** The last attempt, or when it began to wait. */
  updated_at: string;
  /** When it is tried next; null when it is over, or follows another one of its object. */
  next_at: string | null;
  /** Of the last attempt; null when there was no answer. */
  response_status: number | null;
  duration_ms: number | null;
  /** Why the last attempt failed, in words. */
  error: string | null;
}

export interface WebhookDeliveryInFull {
  /** That of the event in the feed. */
  sequence: number;
  /** The id of the event, sent as `webhook-id`. */
  message_id: string;
  type: string;
  object_id: string;
  status: 'waiting' | 'delivered' | 'failed';
  /** A replay begins to count anew; probes of an endpoint that fails are not counted. */
  attempts: number;
  /** When the event happened. */
  created_at: string;
  /** The last attempt, or when it began to wait. */
  updated_at: string;
  /** When it is tried next; null when it is over, or follows another one of its object. */
  next_at: string | null;
  /** Of the last attempt; null when there was no answer. */
  response_status: number | null;
  duration_ms: number | null;
  /** Why the last attempt failed, in words. */
  error: string | null;
  /** What would be sent now, by the present settings of the endpoint; the signature is that of the last attempt. */
  request: {
    /** Secret values as `"********"`. */
    headers: { [name: string]: unknown };
    /** As it is signed. */
    body: string;
  };
  /** The last ten attempts, oldest first. */
  log: Array<WebhookAttempt>;
}

export interface WebhookReplay {
  /** One event, by its id. */
  message_id?: string;
  /** Events that happened then or later; together with `to`. ISO 8601 with its zone; a bare date is midnight UTC. */
  from?: string;
  /** Events that happened before this time. ISO 8601 with its zone; a bare date is midnight UTC. */
  to?: string;
  /** All that were given up. */
  failed?: true;
}

export interface WebhookSecret {
  id: string;
  created_at: string;
  /** From when it signs no more; null for the one in use. */
  expires_at: string | null;
}

export interface WebhookTest {
  /** Whether the endpoint answered with 2xx. */
  delivered: boolean;
  /** That of its answer; null when there was none. */
  status: number | null;
  duration_ms: number;
  /** What went wrong, in words. */
  error: string | null;
  /** The first KiB of its answer. */
  response: string | null;
}

export interface WebhookWithSecret {
  id: string;
  name: string;
  url: string;
  types: Array<string>;
  condition: string | null;
  payload: 'full' | 'thin';
  signature: 'symmetric' | 'ed25519';
  /** Each value as `"********"`. */
  headers: { [name: string]: unknown };
  max_in_flight: number;
  rate: number | null;
  /** What it is told of: what the keys that saved its `types` may read of them. To change it, have something sent again or look at its deliveries, a key needs all of these. */
  scopes: Array<
    | 'datasync:read'
    | 'datasync:write'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'webhooks'
    | 'assistant:write'
    | 'admin'
  >;
  status: 'active' | 'paused' | 'disabled';
  /** Why it is paused or disabled, in words. */
  status_reason: string | null;
  status_at: string;
  /** The sequence of the feed up to which events were sent, or are among `waiting` or `failed`. */
  position: number;
  /** Deliveries that wait for another attempt, or behind such a one of the same object. */
  waiting: number;
  /** Deliveries given up after the last attempt. They can be replayed. */
  failed: number;
  /** The first failure that no success has followed. */
  failing_since: string | null;
  /** When the next of those that wait is tried. */
  next_attempt_at: string | null;
  last_delivered_at: string | null;
  /** Of ed25519: what verifies its signatures. */
  public_key: string | null;
  /** The secrets that sign at present: several after a rotation. */
  secrets: Array<WebhookSecret>;
  version: number;
  created_at: string;
  updated_at: string;
  /** The signing secret. It is shown this once and cannot be shown again. Null for ed25519: receivers need `public_key`, and the private key never leaves the service. */
  secret: string | null;
}

export interface Weight {
  value: number;
  /** Later versions of v1 may add values. */
  unit: 'g' | 'kg' | 'oz' | 'lb';
}

export interface WrittenConfiguration {
  /** The text of a file. */
  yaml: string;
  /** The variables that have to be set before it can be applied elsewhere. */
  variables: Array<{ name: string; field: string }>;
}

export interface Operations {
  'GET /api/v1/orders': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Words of which each has to begin a word of the number (`id`, `external_id`), the customer (`customer_id`, name, e-mail) or the products (`product_id`, `name`, `sku` of the lines). Upper and lower case and accents make no difference. */
      q?: string;
      /** Only orders with this status, or one of several with commas between. */
      status?: Array<'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned'>;
      customer_id?: string;
      external_id?: string;
      /** Only orders with a line of this product. */
      product_id?: string;
      /** ISO 4217. */
      currency?: string;
      /** Only orders of this channel, as it was given. */
      channel?: string;
      /** Only orders that have this tag, as it was given. */
      tag?: string;
      /** Created at this time or later. ISO 8601 with its zone; a bare date is midnight UTC. */
      created_from?: string;
      /** Created before this time. ISO 8601 with its zone; a bare date is midnight UTC. */
      created_to?: string;
      /** Placed at this time or later. An order that was not brought in with a `placed_at` was placed when it was created. ISO 8601 with its zone; a bare date is midnight UTC. */
      placed_from?: string;
      /** Placed before this time. ISO 8601 with its zone; a bare date is midnight UTC. */
      placed_to?: string;
      /** Changed at this time or later. ISO 8601 with its zone; a bare date is midnight UTC. */
      updated_since?: string;
      /** What comes first; with `-` the newest, latest or highest. A cursor belongs to its order. */
      sort?: '-created_at' | 'created_at' | '-placed_at' | 'placed_at' | '-updated_at' | 'updated_at' | '-total' | 'total';
      /** `items` adds the items to each order, `all` everything. */
      expand?: 'items' | 'all';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<ListedOrder>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/orders': { params: {}; query: {}; body: NewOrder; answer: { success: true; data: Order } };
  'POST /api/v1/orders/batch': {
    params: {};
    query: {};
    body: Array<BatchedOrder>;
    answer: {
      success: true;
      data: Array<{ index: number; success: boolean; data?: OrderReceipt; error?: Failure }>;
      /** How many orders were sent. */
      total: number;
      /** How many of them were refused. */
      failed: number;
    };
  };
  'GET /api/v1/orders/export': {
    params: {};
    query: {
      /** Words of which each has to begin a word of the number (`id`, `external_id`), the customer (`customer_id`, name, e-mail) or the products (`product_id`, `name`, `sku` of the lines). Upper and lower case and accents make no difference. */
      q?: string;
      /** Only orders with this status, or one of several with commas between. */
      status?: Array<'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned'>;
      customer_id?: string;
      external_id?: string;
      /** Only orders with a line of this product. */
      product_id?: string;
      /** ISO 4217. */
      currency?: string;
      /** Only orders of this channel, as it was given. */
      channel?: string;
      /** Only orders that have this tag, as it was given. */
      tag?: string;
      /** Created at this time or later. ISO 8601 with its zone; a bare date is midnight UTC. */
      created_from?: string;
      /** Created before this time. ISO 8601 with its zone; a bare date is midnight UTC. */
      created_to?: string;
      /** Placed at this time or later. An order that was not brought in with a `placed_at` was placed when it was created. ISO 8601 with its zone; a bare date is midnight UTC. */
      placed_from?: string;
      /** Placed before this time. ISO 8601 with its zone; a bare date is midnight UTC. */
      placed_to?: string;
      /** Changed at this time or later. ISO 8601 with its zone; a bare date is midnight UTC. */
      updated_since?: string;
      /** CSV for spreadsheets, JSON Lines with whole orders, or Parquet. */
      format?: 'csv' | 'jsonl' | 'parquet';
      /** A row for each order, with its lines as JSON, or a row for each line. Of CSV and Parquet. */
      rows?: 'orders' | 'lines';
    };
    body: undefined;
    answer: unknown;
  };
  'GET /api/v1/orders/{id}': {
    params: {
      /** The id of the order. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Order };
  };
  'PATCH /api/v1/orders/{id}': {
    params: {
      /** The id of the order. */
      id: string;
    };
    query: {};
    body: OrderPatch;
    answer: { success: true; data: Order | OrderState };
  };
  'POST /api/v1/orders/{id}/transitions': {
    params: {
      /** The id of the order. */
      id: string;
    };
    query: {};
    body: OrderTransition;
    answer: { success: true; data: Order | OrderState };
  };
  'POST /api/v1/orders/{id}/fulfillments': {
    params: {
      /** The id of the order. */
      id: string;
    };
    query: {};
    body: NewFulfillment;
    answer: { success: true; data: DoneFulfillment | DeedReceipt };
  };
  'GET /api/v1/orders/{id}/fulfillments': {
    params: {
      /** The id of the order. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Fulfillment>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/orders/{id}/returns': {
    params: {
      /** The id of the order. */
      id: string;
    };
    query: {};
    body: NewReturn;
    answer: { success: true; data: DoneReturn | DeedReceipt };
  };
  'GET /api/v1/orders/{id}/returns': {
    params: {
      /** The id of the order. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Return>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/orders/{id}/refunds': {
    params: {
      /** The id of the order. */
      id: string;
    };
    query: {};
    body: NewRefund;
    answer: { success: true; data: DoneRefund | DeedReceipt };
  };
  'GET /api/v1/orders/{id}/refunds': {
    params: {
      /** The id of the order. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Refund>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/customers': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Customer>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/customers/{id}': {
    params: {
      /** `customer_id` of the orders. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Customer };
  };
  'GET /api/v1/customers/{id}/orders': {
    params: {
      /** `customer_id` of the orders. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<ListedOrder>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/customers/{id}/erase': {
    params: {
      /** `customer_id` of the orders. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Erasure };
  };
  'GET /api/v1/erasures': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Erasure>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/erasures/{id}': {
    params: {
      /** The id of the erasure. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Erasure };
  };
  'GET /api/v1/products': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only products in this category. */
      category?: string;
      /** Changed at this time or later. ISO 8601 with its zone; a bare date is midnight UTC. */
      updated_since?: string;
      /** Only products with this text in their name or id, in any case. */
      q?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Product>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/products/sync': { params: {}; query: {}; body: ProductInput; answer: { success: true; data: SyncedProduct } };
  'POST /api/v1/products/sync/batch': {
    params: {};
    query: {};
    body: Array<ProductInput>;
    answer: {
      success: true;
      data: Array<{ index: number; success: boolean; data?: SyncedProduct; error?: Failure }>;
      /** How many products were sent. */
      total: number;
      /** How many of them were refused. */
      failed: number;
    };
  };
  'GET /api/v1/products/{product_id}': {
    params: { product_id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Product };
  };
  'PATCH /api/v1/products/{product_id}': {
    params: { product_id: string };
    query: {};
    body: ProductChange;
    answer: { success: true; data: SyncedProduct | ProductState };
  };
  'DELETE /api/v1/products/{product_id}': {
    params: { product_id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: { product_id: string; deleted: true } };
  };
  'GET /api/v1/products/{product_id}/stock': {
    params: { product_id: string };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only the entries of this location. */
      location?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: ProductStock;
      /** How many entries the ledger has in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the entries that follow; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/stock/movements': {
    params: {};
    query: {};
    body: NewStockMovement | Array<NewStockMovement>;
    answer: { success: true; data: StockMovement | Array<StockMovement> };
  };
  'GET /api/v1/datasync/sources': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** `true`: one of these sources will be asked within a minute. What that takes is loaded meanwhile, so that the first answer comes sooner. */
      ready?: 'true' | 'false';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Source>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/sources': { params: {}; query: {}; body: NewSource; answer: { success: true; data: SavedSource } };
  'POST /api/v1/datasync/sources/check': { params: {}; query: {}; body: UnsavedSource; answer: { success: true; data: CheckResult } };
  'POST /api/v1/datasync/sources/outline': { params: {}; query: {}; body: UnsavedSource; answer: { success: true; data: Outline | null } };
  'POST /api/v1/datasync/sources/sample': { params: {}; query: {}; body: UnsavedSample; answer: { success: true; data: Sample } };
  'GET /api/v1/datasync/sources/{id}': {
    params: {
      /** The id of the source. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Source };
  };
  'PUT /api/v1/datasync/sources/{id}': {
    params: {
      /** The id of the source. */
      id: string;
    };
    query: {};
    body: ChangedSource;
    answer: { success: true; data: SavedSource };
  };
  'DELETE /api/v1/datasync/sources/{id}': {
    params: {
      /** The id of the source. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Source };
  };
  'POST /api/v1/datasync/sources/{id}/check': {
    params: {
      /** The id of the source. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: CheckResult };
  };
  'GET /api/v1/datasync/sources/{id}/streams': {
    params: {
      /** The id of the source. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only streams with this in their name, in any case. */
      q?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Stream>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/datasync/sources/{id}/streams/{name}/sample': {
    params: {
      /** The id of the source. */
      id: string;
      /** The name of the stream. */
      name: string;
    };
    query: {
      /** How many rows to show. */
      limit?: number;
    };
    body: undefined;
    answer: { success: true; data: Sample };
  };
  'POST /api/v1/datasync/sample': { params: {}; query: {}; body: undefined; answer: { success: true; data: SampleFiles } };
  'GET /api/v1/datasync/connectors': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only those that these words mean, each of them: names, products, formats, and abilities such as `live` or `mirror`. */
      q?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Connector>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/sync/check': {
    params: {};
    query: {};
    body: UnsavedSynchronization;
    answer: { success: true; data: TriedSynchronization };
  };
  'POST /api/v1/datasync/sync/schedule': { params: {}; query: {}; body: ScheduleQuestion; answer: { success: true; data: ScheduleTimes } };
  'GET /api/v1/datasync/sync/{id}/versions': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: Array<SynchronizationVersion>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/datasync/sync/{id}/versions/{version}': {
    params: {
      /** The id of the synchronization. */
      id: string;
      /** The number of the version. */
      version: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: SynchronizationVersionWhole };
  };
  'POST /api/v1/datasync/sync/{id}/versions/{version}/restore': {
    params: {
      /** The id of the synchronization. */
      id: string;
      /** The number of the version. */
      version: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: SavedSynchronization };
  };
  'GET /api/v1/datasync/sync': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Which ones. */
      status?: 'active' | 'paused' | 'all';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Synchronization>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/sync': { params: {}; query: {}; body: NewSynchronization; answer: { success: true; data: SavedSynchronization } };
  'GET /api/v1/datasync/sync/{id}': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Synchronization };
  };
  'PUT /api/v1/datasync/sync/{id}': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {};
    body: ChangedSynchronization;
    answer: { success: true; data: SavedSynchronization };
  };
  'DELETE /api/v1/datasync/sync/{id}': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Synchronization };
  };
  'POST /api/v1/datasync/sync/{id}/pause': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Synchronization };
  };
  'POST /api/v1/datasync/sync/{id}/resume': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Synchronization };
  };
  'POST /api/v1/datasync/sync/{id}/reset': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {};
    body: ResetSynchronization | undefined;
    answer: { success: true; data: Synchronization };
  };
  'GET /api/v1/datasync/hooks': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Hook>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/hooks': { params: {}; query: {}; body: NewHook; answer: { success: true; data: HookWithToken } };
  'GET /api/v1/datasync/hooks/{id}': {
    params: {
      /** The id of the hook. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Hook };
  };
  'PUT /api/v1/datasync/hooks/{id}': {
    params: {
      /** The id of the hook. */
      id: string;
    };
    query: {};
    body: ChangedHook;
    answer: { success: true; data: Hook };
  };
  'DELETE /api/v1/datasync/hooks/{id}': {
    params: {
      /** The id of the hook. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Hook };
  };
  'POST /api/v1/datasync/hooks/{id}/rotate': {
    params: {
      /** The id of the hook. */
      id: string;
    };
    query: {};
    body: RotateHook | undefined;
    answer: { success: true; data: HookWithToken };
  };
  'GET /api/v1/datasync/hooks/{id}/calls': {
    params: {
      /** The id of the hook. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<HookCall>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/sync/{id}/runs': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {};
    body: NewRun | undefined;
    answer: { success: true; data: Run };
  };
  'GET /api/v1/datasync/sync/{id}/runs': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only runs in this state. */
      status?: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
      /** `true`: only runs that compared both ends: `verify`, `repair` and `repair_preview`. */
      proofs?: 'true' | 'false';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Run>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/datasync/runs': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only runs in this state. */
      status?: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
      /** Only runs of this synchronization. */
      sync_id?: string;
      /** Only runs that ended at this time or later. ISO 8601 with its zone; a bare date is midnight UTC. */
      ended_from?: string;
      /** Only runs that ended before this time. ISO 8601 with its zone; a bare date is midnight UTC. */
      ended_to?: string;
      /** `true`: only runs that metrics count, so neither previews nor verifies. */
      writing?: 'true' | 'false';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Run>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/datasync/runs/{id}': {
    params: {
      /** The id of the run. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Run };
  };
  'GET /api/v1/datasync/runs/{id}/events': {
    params: {
      /** The id of the run. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: unknown;
  };
  'POST /api/v1/datasync/runs/{id}/cancel': {
    params: {
      /** The id of the run. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: Run;
      /** What else follows from it: of a live run that its synchronization is paused. */
      message?: string;
    };
  };
  'POST /api/v1/datasync/runs/{id}/approve': {
    params: {
      /** The id of the run. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Run };
  };
  'GET /api/v1/datasync/sync/{id}/rejects': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only rows of this stream of the source. */
      stream?: string;
      /** Only open ones, only resolved ones, or both. */
      status?: 'open' | 'resolved' | 'all';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Reject>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/sync/{id}/rejects/retry': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Run };
  };
  'GET /api/v1/datasync/runs/{id}/rejects': {
    params: {
      /** The id of the run. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only rows of this stream of the source. */
      stream?: string;
      /** Only open ones, or only resolved ones. */
      status?: 'open' | 'resolved';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Reject>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/runs/{id}/rejects/retry': {
    params: {
      /** The id of the run. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Run };
  };
  'POST /api/v1/datasync/runs/{id}/undo': {
    params: {
      /** The id of the run. */
      id: string;
    };
    query: {};
    body:
      | {
          /** Only show what would be done. */
          preview?: boolean;
        }
      | undefined;
    answer: {
      success: true;
      data: {
        run: Run;
        preview?: UndoPreview;
        /** What was done, and what follows from it. */
        message: string;
      };
    };
  };
  'GET /api/v1/datasync/logs': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only entries of this synchronization. */
      sync_id?: string;
      /** Only entries of this run. */
      run_id?: string;
      /** Only entries about this source. */
      source_id?: string;
      /** Only entries of this level and above. */
      level?: 'debug' | 'info' | 'warn' | 'error';
      /** At this time or later. ISO 8601 with its zone; a bare date is midnight UTC. */
      from?: string;
      /** Before this time. ISO 8601 with its zone; a bare date is midnight UTC. */
      to?: string;
      /** Only entries with these words in their message: each has to begin a word there, in any case and order. */
      q?: string;
      /** `true`: the last `limit` entries, oldest first, and then every new one as it comes, as newline-delimited JSON, until you close the connection. An empty line is a sign of life. Not together with `offset`, `cursor` or `to`. */
      follow?: 'true' | 'false';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<LogEntry>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/datasync/metrics': {
    params: {};
    query: {
      /** How far back from now. */
      window?: '1h' | '24h' | '7d' | '30d';
      /** Only this synchronization. */
      sync_id?: string;
    };
    body: undefined;
    answer: { success: true; data: Metrics };
  };
  'GET /metrics': { params: {}; query: {}; body: undefined; answer: unknown };
  'GET /api/v1/alerts': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Alert>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/alerts': { params: {}; query: {}; body: NewAlert; answer: { success: true; data: AlertWithSecret } };
  'GET /api/v1/alerts/{id}': {
    params: {
      /** The id of the alert. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Alert };
  };
  'PUT /api/v1/alerts/{id}': {
    params: {
      /** The id of the alert. */
      id: string;
    };
    query: {};
    body: ChangedAlert;
    answer: { success: true; data: AlertWithSecret };
  };
  'DELETE /api/v1/alerts/{id}': {
    params: {
      /** The id of the alert. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Alert };
  };
  'POST /api/v1/alerts/{id}/test': {
    params: {
      /** The id of the alert. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: AlertTest };
  };
  'GET /api/v1/alerts/{id}/messages': {
    params: {
      /** The id of the alert. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only those in this state. */
      status?: 'waiting' | 'sent' | 'skipped' | 'failed';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<AlertMessage>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/incidents': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Those that go on, those that are over, or both. */
      status?: 'open' | 'closed' | 'all';
      /** Only those of this rule. */
      rule?:
        | 'failing'
        | 'needs_approval'
        | 'rejects'
        | 'differs'
        | 'late'
        | 'lag'
        | 'schema_changed'
        | 'endpoint_paused'
        | 'disk_full'
        | 'key_expires';
      /** Only those of this synchronization, endpoint, key or machine. */
      object_id?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Incident>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/events': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** Only events after this sequence. */
      after?: number;
      /** The same as `after`. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Event>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/webhooks': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only those with this status. */
      status?: 'active' | 'paused' | 'disabled';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Webhook>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/webhooks': { params: {}; query: {}; body: NewWebhook; answer: { success: true; data: WebhookWithSecret } };
  'GET /api/v1/webhooks/{id}': {
    params: {
      /** The id of the endpoint. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Webhook };
  };
  'PUT /api/v1/webhooks/{id}': {
    params: {
      /** The id of the endpoint. */
      id: string;
    };
    query: {};
    body: ChangedWebhook;
    answer: { success: true; data: Webhook };
  };
  'DELETE /api/v1/webhooks/{id}': {
    params: {
      /** The id of the endpoint. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Webhook };
  };
  'POST /api/v1/webhooks/{id}/pause': {
    params: {
      /** The id of the endpoint. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Webhook };
  };
  'POST /api/v1/webhooks/{id}/resume': {
    params: {
      /** The id of the endpoint. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Webhook };
  };
  'POST /api/v1/webhooks/{id}/rotate': {
    params: {
      /** The id of the endpoint. */
      id: string;
    };
    query: {};
    body: RotateWebhook | undefined;
    answer: { success: true; data: WebhookWithSecret };
  };
  'POST /api/v1/webhooks/{id}/test': {
    params: {
      /** The id of the endpoint. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: WebhookTest };
  };
  'GET /api/v1/webhooks/{id}/deliveries': {
    params: {
      /** The id of the endpoint. */
      id: string;
    };
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only those with this status. */
      status?: 'waiting' | 'delivered' | 'failed';
      /** Only events of this type. */
      type?: string;
      /** Only events of this object. */
      object_id?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<WebhookDelivery>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/webhooks/{id}/deliveries/{sequence}': {
    params: {
      /** The id of the endpoint. */
      id: string;
      /** The sequence of the event. */
      sequence: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: WebhookDeliveryInFull };
  };
  'POST /api/v1/webhooks/{id}/replay': {
    params: {
      /** The id of the endpoint. */
      id: string;
    };
    query: {};
    body: WebhookReplay;
    answer: {
      success: true;
      data: {
        /** How many are sent: now, when the wait of the endpoint is over, or when it is resumed. */
        queued: number;
      };
    };
  };
  'GET /api/v1/datasync/config': {
    params: {};
    query: {
      /** Whether positions are asked for. */
      state?: 'true' | 'false';
    };
    body: undefined;
    answer: { success: true; data: ExportedConfiguration };
  };
  'GET /api/v1/datasync/config/sources/{id}': {
    params: {
      /** The id of the source. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: WrittenConfiguration };
  };
  'GET /api/v1/datasync/config/syncs/{id}': {
    params: {
      /** The id of the synchronization. */
      id: string;
    };
    query: {
      /** Which of its versions; the present one, when left out. */
      version?: number;
    };
    body: undefined;
    answer: { success: true; data: WrittenConfiguration };
  };
  'POST /api/v1/datasync/config/plan': {
    params: {};
    query: {};
    body: ConfigurationToPlan;
    answer: { success: true; data: ConfigurationPlan };
  };
  'POST /api/v1/datasync/config/apply': {
    params: {};
    query: {};
    body: ConfigurationToApply;
    answer: { success: true; data: AppliedConfiguration };
  };
  'GET /api/v1/me': { params: {}; query: {}; body: undefined; answer: { success: true; data: Me } };
  'GET /api/v1/keys': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Key>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/keys': { params: {}; query: {}; body: NewKey; answer: { success: true; data: KeyWithSecret } };
  'GET /api/v1/keys/{id}': {
    params: {
      /** The id of the key. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Key };
  };
  'DELETE /api/v1/keys/{id}': {
    params: {
      /** The id of the key. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: { success: true; data: Key };
  };
  'POST /api/v1/keys/{id}/rotate': {
    params: {
      /** The id of the key. */
      id: string;
    };
    query: {};
    body:
      | {
          /** How long the old secret stays valid, in seconds; 0 ends it at once. */
          overlap_seconds?: number;
        }
      | undefined;
    answer: { success: true; data: KeyWithSecret };
  };
  'POST /api/v1/sessions': { params: {}; query: {}; body: undefined; answer: { success: true; data: SignInSession } };
  'GET /api/v1/sessions': { params: {}; query: {}; body: undefined; answer: { success: true; data: Array<SignInSession> } };
  'DELETE /api/v1/sessions': {
    params: {};
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        /** How many were open until now. */
        ended: number;
      };
    };
  };
  'DELETE /api/v1/sessions/{id}': {
    params: {
      /** The id of a session of this key, or `current` for that of this request. */
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        /** How many were open until now. */
        ended: number;
      };
    };
  };
  'GET /api/v1/audit': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
      /** Only what was done to this object. */
      object_id?: string;
      /** Only what this key, or another actor, has done. */
      actor?: string;
      /** Only this action. */
      action?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<AuditEntry>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'GET /api/v1/nodes': {
    params: {};
    query: {
      /** How many items to return. */
      limit?: number;
      /** How many items to skip. Not together with `cursor`. */
      offset?: number;
      /** `next_cursor` of the page before; stays right while items arrive. */
      cursor?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<Node>;
      /** How many items match in all, whatever the page. */
      total: number;
      /** Send it as `cursor` for the page that follows; null on the last page. */
      next_cursor: string | null;
    };
  };
  'POST /api/v1/hooks/{token}': {
    params: {
      /** The token of the address; it is a secret. */
      token: string;
    };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        /** The id of the call; null for a test of the sender that is not kept. */
        id: string | null;
        /** Whether it was there already. */
        duplicate: boolean;
      };
    };
  };
}

/** What is sent to these with the same `Idempotency-Key` again is done once. */
export const TAKES_IDEMPOTENCY_KEY: ReadonlySet<string> = new Set([
  'POST /api/v1/orders',
  'POST /api/v1/orders/batch',
  'POST /api/v1/orders/{id}/fulfillments',
  'POST /api/v1/orders/{id}/returns',
  'POST /api/v1/orders/{id}/refunds',
  'POST /api/v1/stock/movements',
]);

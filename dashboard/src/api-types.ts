// Made from /openapi.json by `npm run api:types`. Do not edit.

export interface Schemas {
  Abilities: {
    read: boolean;
    write: Array<'append' | 'upsert' | 'mirror'>;
    incremental: boolean;
    resumable: boolean;
    transactional: boolean;
    keyless_mirror: boolean;
    ranges: boolean;
    parts: boolean;
    creates_streams: boolean;
    deletes: boolean;
    filters: boolean;
    tells_changes: boolean;
    tells_deletions: boolean;
    log: boolean;
    applies: boolean;
    widens: boolean;
    differences: boolean;
    digests: boolean;
    keeps_tables: boolean;
    undo: boolean;
    structure: boolean;
    notes: string | null;
  };
  Address: { street: string; city: string; zip?: string; country?: string; state?: string; name?: string; phone?: string };
  AddressPatch: {
    street?: string | null;
    city?: string | null;
    zip?: string | null;
    country?: string | null;
    state?: string | null;
    name?: string | null;
    phone?: string | null;
  };
  Alert: {
    id: string;
    name: string;
    channel: Schemas['AlertChannel'];
    rules: Array<Schemas['AlertRule']>;
    sync_ids: Array<string> | null;
    remind_every: string | null;
    quiet_hours: { from: string; to: string; timezone: string } | null;
    status: 'ok' | 'failing' | 'unused';
    error: string | null;
    error_at: string | null;
    sent_at: string | null;
    waiting: number;
    version: number;
    created_at: string;
    updated_at: string;
  };
  AlertChannel:
    | { type: 'email'; smtp_url: string; from: string; to: Array<string>; ca: string | null }
    | { type: 'slack'; url: string }
    | { type: 'teams'; url: string }
    | { type: 'discord'; url: string }
    | { type: 'mattermost'; url: string }
    | { type: 'webhook'; url: string; secret: string };
  AlertMessage: {
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
    status: 'waiting' | 'sent' | 'skipped' | 'failed';
    attempts: number;
    created_at: string;
    next_at: string | null;
    sent_at: string | null;
    error: string | null;
  };
  AlertRule:
    | { type: 'failing'; runs?: number }
    | { type: 'rejects'; over?: number }
    | { type: 'lag'; seconds: number }
    | { type: 'disk_full'; free_percent?: number }
    | { type: 'key_expires'; days?: number }
    | { type: 'needs_approval' }
    | { type: 'differs' }
    | { type: 'late' }
    | { type: 'schema_changed' }
    | { type: 'endpoint_paused' };
  AlertTest: { delivered: boolean; duration_ms: number; error: string | null };
  AlertWithSecret: {
    id: string;
    name: string;
    channel: Schemas['AlertChannel'];
    rules: Array<Schemas['AlertRule']>;
    sync_ids: Array<string> | null;
    remind_every: string | null;
    quiet_hours: { from: string; to: string; timezone: string } | null;
    status: 'ok' | 'failing' | 'unused';
    error: string | null;
    error_at: string | null;
    sent_at: string | null;
    waiting: number;
    version: number;
    created_at: string;
    updated_at: string;
    secret: string | null;
  };
  AppliedConfiguration: {
    changes: Array<Schemas['ConfigurationChange']>;
    warnings: Array<string>;
    made: Array<{
      section: 'sources' | 'hooks' | 'syncs' | 'webhooks' | 'alerts' | 'keys';
      name: string;
      secret: string | null;
      url: string | null;
      key: string | null;
    }>;
  };
  AuditEntry: {
    id: string;
    at: string;
    actor: string;
    action: string;
    object_id: string;
    details: { [name: string]: unknown };
    address: string | null;
    request_id: string | null;
  };
  BatchedOrder: {
    customer_id: string;
    items: Array<Schemas['NewOrderLine']>;
    shipping_address?: Schemas['NewAddress'];
    external_id?: string;
    currency?: string;
    metadata?: { [name: string]: unknown };
    prices_include_tax?: boolean;
    shipping?: Schemas['NewOrderShipping'];
    discounts?: Array<{ code?: string; amount?: number; percent?: number }>;
    taxes?: Array<Schemas['NewOrderTax']>;
    expected_total?: number;
    customer?: Schemas['NewOrderCustomer'];
    billing_address?: Schemas['NewAddress'];
    payment?: Schemas['NewOrderPayment'];
    note?: string;
    tags?: Array<string>;
    channel?: string;
    reserve?: boolean;
    imported?: boolean;
    placed_at?: string;
    status?: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
    history?: Array<Schemas['NewOrderHistoryEntry']>;
    total?: number;
  };
  ChangedAlert: {
    name?: string;
    channel?: Schemas['NewAlertChannel'];
    rules?: Array<Schemas['NewAlertRule']>;
    sync_ids?: Array<string> | null;
    remind_every?: string | null;
    quiet_hours?: { from: string; to: string; timezone?: string } | null;
  };
  ChangedHook: {
    name?: string;
    scheme?: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
    secret?: string;
    header?: string;
    sync_id?: string | null;
  };
  ChangedRow: {
    change: 'insert' | 'update' | 'delete';
    key: { [name: string]: unknown } | null;
    before: { [name: string]: unknown } | null;
    after: { [name: string]: unknown } | null;
  };
  ChangedSource: { name?: string; type?: string; config?: { [name: string]: unknown } };
  ChangedSynchronization: {
    name?: string;
    source_id?: string;
    target_id?: string;
    streams?: Array<Schemas['NewSynchronizationStream']>;
    direction?: 'source_to_target' | 'two_way';
    schedule?: Schemas['NewSchedule'];
    on_reject?: 'quarantine' | 'fail';
    guard?: { max_delete_percent?: number; allow_empty?: boolean };
    schema_changes?: 'apply' | 'ignore' | 'stop';
    structure?: 'data' | 'full';
    on_gap?: 'load' | 'stop';
    max_retained?: string | number;
    expect_every?: string | null;
    undo?: { keep: string; max_rows?: number } | null;
    verify?: { every: string } | null;
  };
  ChangedWebhook: {
    name?: string;
    url?: string;
    types?: Array<string>;
    condition?: string | null;
    payload?: 'full' | 'thin';
    signature?: 'symmetric' | 'ed25519';
    headers?: { [name: string]: unknown };
    max_in_flight?: number;
    rate?: number | null;
  };
  CheckFailure: {
    kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
    code: string;
    message: string;
    hint: string | null;
    field: string | null;
  };
  CheckResult: {
    ok: boolean;
    message: string;
    warnings: Array<string>;
    live_needs: Array<string> | null;
    error: Schemas['CheckFailure'] | null;
    duration_ms: number;
  };
  ConfigurationChange: {
    section: 'sources' | 'hooks' | 'syncs' | 'webhooks' | 'alerts' | 'keys';
    name: string;
    action: 'create' | 'update' | 'delete';
    fields: Array<{ field: string; before: unknown; after: unknown }>;
    effects: Array<string>;
  };
  ConfigurationPlan: { changes: Array<Schemas['ConfigurationChange']>; warnings: Array<string>; digest: string };
  ConfigurationToApply: { document: { [name: string]: unknown }; prune?: boolean; state?: { [name: string]: unknown }; digest?: string };
  ConfigurationToPlan: { document: { [name: string]: unknown }; prune?: boolean; state?: { [name: string]: unknown } };
  Connector: {
    type: string;
    title: string;
    description: string;
    category: 'database' | 'file' | 'api' | 'shop' | 'events' | 'other';
    keywords: Array<string>;
    promises: Array<string>;
    config: { [name: string]: unknown };
    abilities: Schemas['Abilities'];
    naming: Schemas['Naming'];
    shop_streams: Array<{ name: string; rows: 'orders' | 'products' }>;
  };
  Customer: {
    id: string;
    orders: number;
    first_order: { id: string; created_at: string };
    last_order: { id: string; created_at: string };
    totals: Array<{ currency: string; orders: number; total: number }>;
    customer: Schemas['OrderCustomer'] | null;
  };
  DeedReceipt: { id: string; order: { id: string; status: Schemas['OrderStatus']; version: number; updated_at: string } };
  DifferentRow: {
    difference: 'missing' | 'extra' | 'different';
    key: { [name: string]: unknown } | null;
    fields: Array<string>;
    source: { [name: string]: unknown } | null;
    target: { [name: string]: unknown } | null;
  };
  Discount: { code?: string; percent?: number; amount: number };
  DoneFulfillment: {
    id: string;
    created_at: string;
    lines: Array<Schemas['OrderPiece']>;
    tracking?: Schemas['Tracking'];
    location?: string;
    order: Schemas['OrderAfter'];
  };
  DoneRefund: {
    id: string;
    created_at: string;
    amount: number;
    external_id?: string;
    lines?: Array<Schemas['RefundedPiece']>;
    reason?: string;
    restock: boolean;
    location?: string;
    order: Schemas['OrderAfter'];
  };
  DoneReturn: {
    id: string;
    created_at: string;
    lines: Array<Schemas['OrderPiece']>;
    reason?: string;
    restock: boolean;
    location?: string;
    order: Schemas['OrderAfter'];
  };
  EndedRuns: { total: number; succeeded: number; partial: number; failed: number; cancelled: number; skipped: number };
  Erasure: {
    id: string;
    status: 'running' | 'done';
    customer_id: string | null;
    orders: number;
    requested_by: string;
    created_at: string;
    finished_at: string | null;
  };
  Error: { success: false; error: Schemas['Failure'] };
  ErrorDetails: {
    field?: string;
    reason?: string;
    errors?: Array<Schemas['Fault']>;
    line?: number;
    position?: number;
    lines?: Array<{ index: number; product_id: string; wanted: number; available: number }>;
    run_id?: string;
  };
  Event: { sequence: number; id: string; type: string; object_id: string; created_at: string; data: { [name: string]: unknown } };
  ExportedConfiguration: {
    document: { [name: string]: unknown };
    variables: Array<{ name: string; field: string }>;
    left_out: Array<'sources' | 'hooks' | 'syncs' | 'webhooks' | 'alerts' | 'keys'>;
    state: { [name: string]: unknown } | null;
  };
  Failure: {
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
    message: string;
    details: Schemas['ErrorDetails'];
  };
  Fault: { field: string; reason: string };
  Fulfillment: { id: string; created_at: string; lines: Array<Schemas['OrderPiece']>; tracking?: Schemas['Tracking']; location?: string };
  Hook: {
    id: string;
    name: string;
    scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
    secret: string | null;
    header: string | null;
    sync_id: string | null;
    calls: number;
    last_call_at: string | null;
    refused: number;
    refused_at: string | null;
    refused_reason: string | null;
    version: number;
    created_at: string;
    updated_at: string;
  };
  HookCall: {
    id: string;
    sequence: number;
    sender_id: string | null;
    received_at: string;
    headers: { [name: string]: unknown };
    body: string;
    encoding: 'utf8' | 'base64';
  };
  HookWithToken: {
    id: string;
    name: string;
    scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
    secret: string | null;
    header: string | null;
    sync_id: string | null;
    calls: number;
    last_call_at: string | null;
    refused: number;
    refused_at: string | null;
    refused_reason: string | null;
    version: number;
    created_at: string;
    updated_at: string;
    token: string | null;
    url: string | null;
  };
  Incident: {
    id: string;
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
    opened_at: string;
    closed_at: string | null;
    summary: string;
    ending: string | null;
    details: { [name: string]: unknown };
  };
  Key: {
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
    rate_limit: number | null;
    created_at: string;
    expires_at: string | null;
    revoked_at: string | null;
    last_used_at: string | null;
  };
  KeyWithSecret: {
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
    rate_limit: number | null;
    created_at: string;
    expires_at: string | null;
    revoked_at: string | null;
    last_used_at: string | null;
    key: string;
  };
  Lag: { seconds: number; bytes: number | null; at: string };
  ListedOrder: {
    id: string;
    status: Schemas['OrderStatus'];
    total: number;
    created_at: string;
    updated_at?: string;
    version?: number;
    customer_id?: string;
    currency?: string;
    external_id?: string | null;
    items?: Array<Schemas['OrderLine']>;
    shipping_address?: Schemas['Address'] | null;
    metadata?: { [name: string]: unknown };
    subtotal?: number;
    discount_total?: number;
    shipping_total?: number;
    adjustment?: number;
    tax_total?: number;
    prices_include_tax?: boolean;
    shipping?: Schemas['OrderShipping'];
    discounts?: Array<Schemas['Discount']>;
    taxes?: Array<Schemas['OrderTax']>;
    customer?: Schemas['OrderCustomer'];
    billing_address?: Schemas['Address'];
    payment?: Schemas['OrderPayment'];
    note?: string;
    tags?: Array<string>;
    channel?: string;
    reserve?: true;
    imported?: true;
    placed_at?: string;
    fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
    payment_status?: string;
    refunded_total?: number;
    remaining_total?: number;
    fulfillments?: Array<Schemas['Fulfillment']>;
    returns?: Array<Schemas['Return']>;
    refunds?: Array<Schemas['Refund']>;
    most_lines?: number;
    changes?: Array<Schemas['OrderChange']>;
    history?: Array<Schemas['OrderHistoryEntry']>;
  };
  LogEntry: {
    id: string;
    time: string;
    level: 'debug' | 'info' | 'warn' | 'error';
    sync_id: string | null;
    run_id: string | null;
    stream: string | null;
    source_id: string | null;
    message: string;
    data: { [name: string]: unknown } | null;
  };
  Me: {
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
    expires_at: string | null;
  };
  Metrics: {
    window: '1h' | '24h' | '7d' | '30d';
    from: string;
    to: string;
    runs: Schemas['RunCounts'];
    rows: Schemas['RowCounts'];
    bytes: number;
    throughput: { rows_per_second: number; bytes_per_second: number };
    duration_ms: { p50: number | null; p95: number | null; max: number | null };
    lag_seconds: number | null;
    success_rate: number | null;
    syncs: Array<Schemas['SynchronizationMetrics']>;
    series: Array<Schemas['MetricsPoint']>;
  };
  MetricsPoint: {
    at: string;
    runs: Schemas['EndedRuns'];
    rows: Schemas['RowCounts'];
    bytes: number;
    lag_seconds: number | null;
    retained_bytes: number | null;
  };
  NameRule: { max_bytes: number | null; max_characters: number | null; pattern: string | null; why: string };
  Naming: { folds_case: boolean; default_schema: string | null; streams: Array<Schemas['NameRule']>; fields: Array<Schemas['NameRule']> };
  NewAddress: { street: string; city: string; zip?: string; country?: string; state?: string; name?: string; phone?: string };
  NewAlert: {
    name: string;
    channel: Schemas['NewAlertChannel'];
    rules: Array<Schemas['NewAlertRule']>;
    sync_ids?: Array<string> | null;
    remind_every?: string | null;
    quiet_hours?: { from: string; to: string; timezone?: string } | null;
  };
  NewAlertChannel:
    | { type: 'email'; smtp_url: string; from: string; to: Array<string>; ca?: string | null }
    | { type: 'slack'; url: string }
    | { type: 'teams'; url: string }
    | { type: 'discord'; url: string }
    | { type: 'mattermost'; url: string }
    | { type: 'webhook'; url: string; secret?: string };
  NewAlertRule:
    | { type: 'failing'; runs?: number }
    | { type: 'rejects'; over?: number }
    | { type: 'lag'; seconds: number }
    | { type: 'disk_full'; free_percent?: number }
    | { type: 'key_expires'; days?: number }
    | { type: 'needs_approval' }
    | { type: 'differs' }
    | { type: 'late' }
    | { type: 'schema_changed' }
    | { type: 'endpoint_paused' };
  NewFulfillment: {
    lines?: Array<Schemas['NewOrderPiece']>;
    tracking?: Schemas['NewTracking'];
    location?: string;
    expected_version?: number;
  };
  NewHook: {
    name: string;
    scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
    secret?: string;
    header?: string;
    sync_id?: string | null;
  };
  NewKey: {
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
    expires_at?: string;
    rate_limit?: number;
  };
  NewOrder: {
    customer_id: string;
    items: Array<Schemas['NewOrderLine']>;
    shipping_address?: Schemas['NewAddress'];
    external_id?: string;
    currency?: string;
    metadata?: { [name: string]: unknown };
    prices_include_tax?: boolean;
    shipping?: Schemas['NewOrderShipping'];
    discounts?: Array<{ code?: string; amount?: number; percent?: number }>;
    taxes?: Array<Schemas['NewOrderTax']>;
    expected_total?: number;
    customer?: Schemas['NewOrderCustomer'];
    billing_address?: Schemas['NewAddress'];
    payment?: Schemas['NewOrderPayment'];
    note?: string;
    tags?: Array<string>;
    channel?: string;
    reserve?: boolean;
  };
  NewOrderCustomer: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
  NewOrderHistoryEntry: {
    status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
    at: string;
    reason?: string | null;
  };
  NewOrderLine: {
    product_id: string;
    quantity: number;
    price: number;
    name?: string;
    sku?: string;
    variant?: string;
    discount?: { code?: string; amount?: number; percent?: number };
    tax?: { rate?: number; amount?: number };
    metadata?: { [name: string]: unknown };
  };
  NewOrderPayment: {
    status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
    method?: string;
    reference?: string;
    paid_at?: string;
  };
  NewOrderPiece: { line: number; quantity?: number };
  NewOrderShipping: { method?: string; price: number; tax?: { rate?: number; amount?: number } };
  NewOrderTax: { name?: string; rate?: number; amount?: number };
  NewProductImage: { url: string; alt?: string };
  NewProductVariant: {
    sku: string;
    name?: string;
    barcode?: string;
    options?: { [name: string]: unknown };
    price?: number;
    prices?: { [name: string]: unknown };
    weight?: Schemas['NewWeight'];
  };
  NewRefund: {
    lines?: Array<Schemas['NewOrderPiece']>;
    amount?: number;
    reason?: string;
    restock?: boolean;
    location?: string;
    expected_version?: number;
  };
  NewReturn: { lines?: Array<Schemas['NewOrderPiece']>; reason?: string; restock?: boolean; location?: string; expected_version?: number };
  NewRun: { streams?: Array<string>; mode?: 'run' | 'full' | 'preview' | 'verify' | 'repair' | 'repair_preview' };
  NewSchedule:
    | { type: 'manual' }
    | { type: 'interval'; every: string }
    | { type: 'cron'; expression: string; timezone?: string }
    | { type: 'on_change' }
    | { type: 'after'; sync_id: string };
  NewSource: { name: string; type: string; config: { [name: string]: unknown } };
  NewStockMovement: { product_id: string; location?: string; delta: number; reason?: string };
  NewSynchronization: {
    name: string;
    source_id: string;
    target_id: string;
    streams: Array<Schemas['NewSynchronizationStream']>;
    direction?: 'source_to_target' | 'two_way';
    schedule?: Schemas['NewSchedule'];
    on_reject?: 'quarantine' | 'fail';
    guard?: { max_delete_percent?: number; allow_empty?: boolean };
    schema_changes?: 'apply' | 'ignore' | 'stop';
    structure?: 'data' | 'full';
    on_gap?: 'load' | 'stop';
    max_retained?: string | number;
    expect_every?: string | null;
    undo?: { keep: string; max_rows?: number } | null;
    verify?: { every: string } | null;
  };
  NewSynchronizationField: {
    from?: string;
    to?: string;
    expression?: string;
    type?:
      | 'text'
      | 'int64'
      | 'decimal'
      | 'float64'
      | 'boolean'
      | 'date'
      | 'time'
      | 'timestamp'
      | 'timestamptz'
      | 'uuid'
      | 'json'
      | 'binary';
  };
  NewSynchronizationFilter: {
    field: string;
    op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
    value?: string | number | boolean | Array<string | number | boolean>;
  };
  NewSynchronizationStream: {
    source: string;
    target?: string;
    mode?: 'mirror' | 'incremental' | 'append' | 'cdc';
    key?: Array<string>;
    cursor?: string | null;
    fields?: Array<Schemas['NewSynchronizationField']> | null;
    filter?: Array<Schemas['NewSynchronizationFilter']>;
    deletes?: 'delete' | 'mark' | 'keep';
  };
  NewTracking: { carrier?: string; number?: string; url?: string };
  NewWebhook: {
    name: string;
    url: string;
    types?: Array<string>;
    condition?: string | null;
    payload?: 'full' | 'thin';
    signature?: 'symmetric' | 'ed25519';
    headers?: { [name: string]: unknown };
    max_in_flight?: number;
    rate?: number | null;
    from?: 'start' | number;
  };
  NewWeight: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
  Node: {
    id: string;
    host: string;
    pid: number;
    role: 'all' | 'api' | 'worker';
    status: 'alive' | 'lost';
    version: string;
    schema_version: number;
    started_at: string;
    seen_at: string;
    clock_ahead_ms: number;
    max_runs: number;
    runs: Array<{ id: string; sync_id: string; started_at: string }>;
    parts: Array<{ run_id: string; stream: string; part: number }>;
    problems: Array<string>;
  };
  Order: {
    id: string;
    status: Schemas['OrderStatus'];
    total: number;
    created_at: string;
    updated_at: string;
    version: number;
    customer_id: string;
    currency: string;
    external_id: string | null;
    items: Array<Schemas['OrderLine']>;
    shipping_address: Schemas['Address'] | null;
    metadata: { [name: string]: unknown };
    subtotal?: number;
    discount_total?: number;
    shipping_total?: number;
    adjustment?: number;
    tax_total?: number;
    prices_include_tax?: boolean;
    shipping?: Schemas['OrderShipping'];
    discounts?: Array<Schemas['Discount']>;
    taxes?: Array<Schemas['OrderTax']>;
    customer?: Schemas['OrderCustomer'];
    billing_address?: Schemas['Address'];
    payment?: Schemas['OrderPayment'];
    note?: string;
    tags?: Array<string>;
    channel?: string;
    reserve?: true;
    imported?: true;
    placed_at?: string;
    fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
    payment_status?: string;
    refunded_total?: number;
    remaining_total?: number;
    fulfillments?: Array<Schemas['Fulfillment']>;
    returns?: Array<Schemas['Return']>;
    refunds?: Array<Schemas['Refund']>;
    most_lines?: number;
    changes?: Array<Schemas['OrderChange']>;
    history: Array<Schemas['OrderHistoryEntry']>;
  };
  OrderAfter: {
    id: string;
    status: Schemas['OrderStatus'];
    version: number;
    updated_at: string;
    fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
    payment_status?: string;
  };
  OrderChange: { version: number; at: string; by: string; members: Array<string>; lines?: number };
  OrderCustomer: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
  OrderCustomerPatch: {
    email?: string | null;
    name?: string | null;
    phone?: string | null;
    company?: string | null;
    tax_id?: string | null;
  };
  OrderHistoryEntry: { status: Schemas['OrderStatus']; at: string; reason: string | null };
  OrderLine: {
    product_id: string;
    quantity: number;
    price: number;
    line_total: number;
    product_known: boolean;
    name?: string;
    sku?: string;
    variant?: string;
    discount?: Schemas['Discount'];
    tax?: Schemas['Tax'];
    metadata?: { [name: string]: unknown };
  };
  OrderPatch: {
    shipping_address?: Schemas['AddressPatch'] | null;
    billing_address?: Schemas['AddressPatch'] | null;
    customer?: Schemas['OrderCustomerPatch'] | null;
    payment?: Schemas['OrderPaymentPatch'] | null;
    note?: string | null;
    tags?: Array<string> | null;
    metadata?: { [name: string]: unknown } | null;
    items?: Array<Schemas['NewOrderLine']>;
    shipping?: Schemas['OrderShippingPatch'] | null;
    discounts?: Array<{ code?: string; amount?: number; percent?: number }> | null;
    taxes?: Array<Schemas['NewOrderTax']> | null;
    prices_include_tax?: boolean | null;
    expected_total?: number;
    expected_version?: number;
  };
  OrderPayment: {
    status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
    method?: string;
    reference?: string;
    paid_at?: string;
  };
  OrderPaymentPatch: {
    status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed' | null;
    method?: string | null;
    reference?: string | null;
    paid_at?: string | null;
  };
  OrderPiece: { line: number; quantity: number };
  OrderReceipt: {
    id: string;
    status: Schemas['OrderStatus'];
    total: number;
    created_at: string;
    version: number;
    external_id: string | null;
    replayed?: true;
  };
  OrderShipping: { method?: string; price: number; tax?: Schemas['Tax'] };
  OrderShippingPatch: { method?: string | null; price?: number | null; tax?: { rate?: number | null; amount?: number | null } | null };
  OrderState: { id: string; status: Schemas['OrderStatus']; version: number; updated_at: string };
  OrderStatus: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
  OrderTax: { name?: string; rate?: number; amount: number };
  OrderTransition: {
    to: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
    reason?: string;
    restock?: boolean;
    expected_version?: number;
  };
  Outline: {
    forms: Array<Schemas['OutlineForm']>;
    streams: Array<string>;
    is_partial: boolean;
    unreadable: Array<Schemas['UnreadableStream']>;
  };
  OutlineForm: { member: string; schema: { [name: string]: unknown } };
  Product: {
    product_id: string;
    name: string;
    price: number;
    stock_quantity: number;
    categories: Array<string>;
    version: number;
    created_at: string;
    updated_at: string;
    track_stock?: boolean;
    allow_backorder?: boolean;
    sku?: string;
    barcode?: string;
    status?: 'active' | 'draft' | 'archived';
    prices?: { [name: string]: unknown };
    weight?: Schemas['Weight'];
    variants?: Array<Schemas['ProductVariant']>;
    images?: Array<Schemas['ProductImage']>;
    attributes?: { [name: string]: unknown };
  };
  ProductChange: {
    name?: string;
    price?: number;
    stock_quantity?: number;
    categories?: Array<string>;
    stock_as_of?: string;
    track_stock?: boolean;
    allow_backorder?: boolean;
    sku?: string | null;
    barcode?: string | null;
    status?: 'active' | 'draft' | 'archived' | null;
    prices?: { [name: string]: unknown } | null;
    weight?: Schemas['NewWeight'] | null;
    variants?: Array<Schemas['NewProductVariant']> | null;
    images?: Array<Schemas['NewProductImage']> | null;
    attributes?: { [name: string]: unknown } | null;
    expected_version?: number;
  };
  ProductImage: { url: string; alt?: string };
  ProductInput: {
    product_id: string;
    name?: string;
    price?: number;
    stock_quantity?: number;
    categories?: Array<string>;
    stock_as_of?: string;
    track_stock?: boolean;
    allow_backorder?: boolean;
    sku?: string | null;
    barcode?: string | null;
    status?: 'active' | 'draft' | 'archived' | null;
    prices?: { [name: string]: unknown } | null;
    weight?: Schemas['NewWeight'] | null;
    variants?: Array<Schemas['NewProductVariant']> | null;
    images?: Array<Schemas['NewProductImage']> | null;
    attributes?: { [name: string]: unknown } | null;
  };
  ProductState: { product_id: string; version: number; updated_at: string; result: 'updated' | 'unchanged'; changed: Array<string> };
  ProductStock: {
    product_id: string;
    on_hand: number;
    reserved: number;
    available: number;
    locations: Array<Schemas['StockOfLocation']>;
    track_stock: boolean;
    allow_backorder: boolean;
    movements: Array<Schemas['StockMovement']>;
  };
  ProductVariant: {
    sku: string;
    name?: string;
    barcode?: string;
    options?: { [name: string]: unknown };
    price?: number;
    prices?: { [name: string]: unknown };
    weight?: Schemas['Weight'];
  };
  Proof: {
    result: 'equal' | 'differs' | 'changing';
    rows: number;
    digest: string;
    digest_of?: 'rows' | 'ranges';
    missing: number;
    extra: number;
    different: number;
    changing: number;
    kept: number;
    quarantined: number;
    more?: boolean;
    by: 'target' | 'ledger';
    position: string | null;
    duration_ms: number;
    samples: Array<Schemas['DifferentRow']>;
  };
  Refund: {
    id: string;
    created_at: string;
    amount: number;
    external_id?: string;
    lines?: Array<Schemas['RefundedPiece']>;
    reason?: string;
    restock: boolean;
    location?: string;
  };
  RefundedPiece: { line: number; quantity: number; amount?: number };
  Reject: {
    id: string;
    stream: string;
    target: string;
    status: 'open' | 'resolved';
    field: string | null;
    reason: string;
    key: Array<string | boolean | null> | null;
    row: { [name: string]: unknown };
    first_run_id: string;
    last_run_id: string;
    created_at: string;
    updated_at: string;
    resolved_at: string | null;
  };
  ResetSynchronization: { streams?: Array<string> };
  Return: { id: string; created_at: string; lines: Array<Schemas['OrderPiece']>; reason?: string; restock: boolean; location?: string };
  RotateHook: { overlap_seconds?: number; secret?: string };
  RotateWebhook: { overlap_seconds?: number; signature?: 'symmetric' | 'ed25519' };
  RowCounts: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number };
  RowLeft: { target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' };
  Run: {
    id: string;
    sync_id: string;
    status: Schemas['RunStatus'];
    trigger: 'manual' | 'schedule' | 'change' | 'retry';
    triggered_by: { type: 'run' | 'hook'; id: string } | null;
    mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
    attempt: number;
    cancel_requested: boolean;
    created_at: string;
    next_attempt_at: string | null;
    started_at: string | null;
    finished_at: string | null;
    duration_ms: number | null;
    streams: Array<Schemas['RunStream']>;
    totals: Schemas['RunTotals'];
    error: Schemas['RunError'] | null;
    live?: true;
    rolled?: boolean;
    lag?: Schemas['Lag'];
    undone?: Schemas['Undone'];
  };
  RunChanges: { inserted: number; updated: number; deleted: number; unchanged: number; samples?: Array<Schemas['ChangedRow']> };
  RunCounts: {
    total: number;
    succeeded: number;
    partial: number;
    failed: number;
    cancelled: number;
    skipped: number;
    queued: number;
    running: number;
    retrying: number;
    needs_approval: number;
  };
  RunError: {
    kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
    code: string;
    message: string;
    hint: string | null;
    retry_after?: number;
    end?: 'source' | 'target';
    field?: string;
  };
  RunStatus: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
  RunStream: {
    name: string;
    target: string;
    status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
    read: number;
    inserted: number;
    updated: number;
    deleted: number;
    unchanged: number;
    rejected: number;
    bytes: number;
    rows_per_second: number;
    estimated_total: number | null;
    checkpoint: string | null;
    error: Schemas['RunError'] | null;
    live?: 'loading' | 'live' | 'stopped';
    schema_changes?: Array<string>;
    warnings?: Array<string>;
    changes?: Schemas['RunChanges'];
    proof?: Schemas['Proof'];
  };
  RunTotals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
  Sample: {
    fields: Array<Schemas['StreamField']>;
    rows: Array<{ [name: string]: unknown }>;
    truncated: Array<string>;
    rejects: Array<string>;
  };
  SampleField: {
    name: string;
    type: 'text' | 'int64' | 'decimal' | 'float64' | 'boolean' | 'date' | 'time' | 'timestamp' | 'timestamptz' | 'uuid' | 'json' | 'binary';
  };
  SampleFile: { name: string; rows: number };
  SampleFiles: { path: string; files: Array<Schemas['SampleFile']> };
  SavedSource: {
    id: string;
    name: string;
    type: string;
    config: { [name: string]: unknown };
    status: 'unchecked' | 'ok' | 'failing';
    status_message: string | null;
    checked_at: string | null;
    created_at: string;
    updated_at: string;
    warnings: Array<string>;
  };
  SavedSynchronization: {
    id: string;
    name: string;
    status: 'active' | 'paused';
    source_id: string;
    target_id: string;
    direction: 'source_to_target';
    schedule: Schemas['Schedule'];
    streams: Array<Schemas['SynchronizationStream']>;
    on_reject: 'quarantine' | 'fail';
    guard: { max_delete_percent?: number; allow_empty?: boolean };
    schema_changes: 'apply' | 'ignore' | 'stop';
    structure?: 'data' | 'full';
    on_gap?: 'load' | 'stop';
    max_retained: string;
    expect_every: string | null;
    undo: { keep: string; max_rows?: number } | null;
    verify: { every: string } | null;
    verified: Schemas['Verified'] | null;
    health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
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
    health_reason: string;
    lag: Schemas['Lag'] | null;
    retained: { bytes: number | null; max: number; lasts_seconds: number | null } | null;
    last_run: Schemas['Run'] | null;
    current_run: Schemas['Run'] | null;
    next_run_at: string | null;
    created_at: string;
    updated_at: string;
    warnings: Array<string>;
  };
  Schedule:
    | { type: 'manual' }
    | { type: 'interval'; every: string }
    | { type: 'cron'; expression: string; timezone?: string }
    | { type: 'on_change' }
    | { type: 'after'; sync_id: string };
  ScheduleQuestion: { schedule: Schemas['NewSchedule']; count?: number };
  ScheduleTimes: { schedule: Schemas['Schedule']; next_times: Array<string> };
  SignInSession: { id: string; current: boolean; address: string | null; created_at: string; last_used_at: string; expires_at: string };
  Source: {
    id: string;
    name: string;
    type: string;
    config: { [name: string]: unknown };
    status: 'unchecked' | 'ok' | 'failing';
    status_message: string | null;
    checked_at: string | null;
    created_at: string;
    updated_at: string;
  };
  StockMovement: {
    id: string;
    product_id: string;
    location: string;
    kind: 'opened' | 'adjusted' | 'counted' | 'shipped' | 'returned' | 'closed';
    delta: number;
    on_hand?: number;
    reason: string | null;
    order_id: string | null;
    as_of: string | null;
    at: string;
  };
  StockOfLocation: { location: string; on_hand: number; reserved: number; available: number };
  Stream: {
    name: string;
    kind: 'table' | 'view' | 'file' | 'resource';
    fields: Array<Schemas['StreamField']>;
    key: Array<string>;
    cursors: Array<string>;
    writable: boolean;
    readable: boolean;
    note: string | null;
    estimated_rows: number | null;
    estimated_bytes: number | null;
  };
  StreamField: {
    name: string;
    type: 'text' | 'int64' | 'decimal' | 'float64' | 'boolean' | 'date' | 'time' | 'timestamp' | 'timestamptz' | 'uuid' | 'json' | 'binary';
    nullable: boolean;
    native: string | null;
  };
  SyncedProduct: {
    product_id: string;
    name: string;
    price: number;
    stock_quantity: number;
    categories: Array<string>;
    version: number;
    created_at: string;
    updated_at: string;
    track_stock?: boolean;
    allow_backorder?: boolean;
    sku?: string;
    barcode?: string;
    status?: 'active' | 'draft' | 'archived';
    prices?: { [name: string]: unknown };
    weight?: Schemas['Weight'];
    variants?: Array<Schemas['ProductVariant']>;
    images?: Array<Schemas['ProductImage']>;
    attributes?: { [name: string]: unknown };
    result: 'created' | 'updated' | 'unchanged';
    changed: Array<string>;
  };
  Synchronization: {
    id: string;
    name: string;
    status: 'active' | 'paused';
    source_id: string;
    target_id: string;
    direction: 'source_to_target';
    schedule: Schemas['Schedule'];
    streams: Array<Schemas['SynchronizationStream']>;
    on_reject: 'quarantine' | 'fail';
    guard: { max_delete_percent?: number; allow_empty?: boolean };
    schema_changes: 'apply' | 'ignore' | 'stop';
    structure?: 'data' | 'full';
    on_gap?: 'load' | 'stop';
    max_retained: string;
    expect_every: string | null;
    undo: { keep: string; max_rows?: number } | null;
    verify: { every: string } | null;
    verified: Schemas['Verified'] | null;
    health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
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
    health_reason: string;
    lag: Schemas['Lag'] | null;
    retained: { bytes: number | null; max: number; lasts_seconds: number | null } | null;
    last_run: Schemas['Run'] | null;
    current_run: Schemas['Run'] | null;
    next_run_at: string | null;
    created_at: string;
    updated_at: string;
  };
  SynchronizationField: {
    from?: string;
    expression?: string;
    to: string;
    type?:
      | 'text'
      | 'int64'
      | 'decimal'
      | 'float64'
      | 'boolean'
      | 'date'
      | 'time'
      | 'timestamp'
      | 'timestamptz'
      | 'uuid'
      | 'json'
      | 'binary';
  };
  SynchronizationFilter: {
    field: string;
    op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
    value?: string | Array<string>;
  };
  SynchronizationMetrics: {
    sync_id: string;
    name: string;
    live: boolean;
    retained_bytes: number | null;
    runs: Schemas['RunCounts'];
    rows: Schemas['RowCounts'];
    bytes: number;
    throughput: { rows_per_second: number; bytes_per_second: number };
    duration_ms: { p50: number | null; p95: number | null; max: number | null };
    lag_seconds: number | null;
    success_rate: number | null;
  };
  SynchronizationStream: {
    source: string;
    target: string;
    mode: 'mirror' | 'incremental' | 'append' | 'cdc';
    key: Array<string>;
    cursor: string | null;
    fields: Array<Schemas['SynchronizationField']> | null;
    filter: Array<Schemas['SynchronizationFilter']>;
    deletes: 'delete' | 'mark' | 'keep';
  };
  SynchronizationVersion: {
    version: number;
    current: boolean;
    saved_at: string;
    actor: string | null;
    fields: Array<string>;
    restored: number | null;
    name: string;
    source_id: string;
    target_id: string;
  };
  SynchronizationVersionWhole: {
    version: number;
    current: boolean;
    saved_at: string;
    actor: string | null;
    fields: Array<string>;
    restored: number | null;
    name: string;
    source_id: string;
    target_id: string;
    definition: { [name: string]: unknown };
  };
  Tax: { rate?: number; amount: number };
  Tracking: { carrier?: string; number?: string; url?: string };
  TriedSynchronization: {
    schedule: Schemas['Schedule'];
    streams: Array<Schemas['SynchronizationStream']>;
    warnings: Array<string>;
    sample: {
      read: Array<Schemas['SampleField']>;
      written: Array<Schemas['SampleField']>;
      rows: Array<{
        before: { [name: string]: unknown };
        after: { [name: string]: unknown } | null;
        field: string | null;
        reason: string | null;
      }>;
    } | null;
  };
  UndoPreview: { restored: number; removed: number; left: number; streams: Array<Schemas['UndoPreviewStream']> };
  UndoPreviewStream: {
    target: string;
    restored: number;
    removed: number;
    left: number;
    samples: Array<{
      change: 'insert' | 'update' | 'delete';
      key: { [name: string]: unknown } | null;
      before: { [name: string]: unknown } | null;
      after: { [name: string]: unknown } | null;
    }>;
    rows_left: Array<Schemas['RowLeft']>;
  };
  Undone: { at: string; by: string; restored: number; removed: number; left: number; rows_left: Array<Schemas['RowLeft']> };
  UnreadableStream: { name: string; needs: Array<string>; reason: string };
  UnsavedSample: { type: string; config: { [name: string]: unknown }; id?: string; stream: string; limit?: number };
  UnsavedSource: { type: string; config: { [name: string]: unknown }; id?: string };
  UnsavedSynchronization: {
    sync_id?: string;
    name?: string;
    source_id: string;
    target_id: string;
    streams: Array<Schemas['NewSynchronizationStream']>;
    direction?: 'source_to_target' | 'two_way';
    schedule?: Schemas['NewSchedule'];
    on_reject?: 'quarantine' | 'fail';
    guard?: { max_delete_percent?: number; allow_empty?: boolean };
    schema_changes?: 'apply' | 'ignore' | 'stop';
    structure?: 'data' | 'full';
    on_gap?: 'load' | 'stop';
    max_retained?: string | number;
    expect_every?: string | null;
    undo?: { keep: string; max_rows?: number } | null;
    verify?: { every: string } | null;
    sample_of?: number;
    limit?: number;
  };
  Verified: {
    at: string;
    result: 'equal' | 'differs' | 'changing';
    rows: number;
    digest: string;
    missing: number;
    extra: number;
    different: number;
    run_id: string;
    since: { at: string; by: 'run' | 'undo'; run_id: string } | null;
  };
  Webhook: {
    id: string;
    name: string;
    url: string;
    types: Array<string>;
    condition: string | null;
    payload: 'full' | 'thin';
    signature: 'symmetric' | 'ed25519';
    headers: { [name: string]: unknown };
    max_in_flight: number;
    rate: number | null;
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
    status_reason: string | null;
    status_at: string;
    position: number;
    waiting: number;
    failed: number;
    failing_since: string | null;
    next_attempt_at: string | null;
    last_delivered_at: string | null;
    public_key: string | null;
    secrets: Array<Schemas['WebhookSecret']>;
    version: number;
    created_at: string;
    updated_at: string;
  };
  WebhookAttempt: { at: string; duration_ms: number; response_status: number | null; response_body: string | null; error: string | null };
  WebhookDelivery: {
    sequence: number;
    message_id: string;
    type: string;
    object_id: string;
    status: 'waiting' | 'delivered' | 'failed';
    attempts: number;
    created_at: string;
    updated_at: string;
    next_at: string | null;
    response_status: number | null;
    duration_ms: number | null;
    error: string | null;
  };
  WebhookDeliveryInFull: {
    sequence: number;
    message_id: string;
    type: string;
    object_id: string;
    status: 'waiting' | 'delivered' | 'failed';
    attempts: number;
    created_at: string;
    updated_at: string;
    next_at: string | null;
    response_status: number | null;
    duration_ms: number | null;
    error: string | null;
    request: { headers: { [name: string]: unknown }; body: string };
    log: Array<Schemas['WebhookAttempt']>;
  };
  WebhookReplay: { message_id?: string; from?: string; to?: string; failed?: true };
  WebhookSecret: { id: string; created_at: string; expires_at: string | null };
  WebhookTest: { delivered: boolean; status: number | null; duration_ms: number; error: string | null; response: string | null };
  WebhookWithSecret: {
    id: string;
    name: string;
    url: string;
    types: Array<string>;
    condition: string | null;
    payload: 'full' | 'thin';
    signature: 'symmetric' | 'ed25519';
    headers: { [name: string]: unknown };
    max_in_flight: number;
    rate: number | null;
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
    status_reason: string | null;
    status_at: string;
    position: number;
    waiting: number;
    failed: number;
    failing_since: string | null;
    next_attempt_at: string | null;
    last_delivered_at: string | null;
    public_key: string | null;
    secrets: Array<Schemas['WebhookSecret']>;
    version: number;
    created_at: string;
    updated_at: string;
    secret: string | null;
  };
  Weight: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
  WrittenConfiguration: { yaml: string; variables: Array<{ name: string; field: string }> };
}

export interface Operations {
  'GET /api/v1/orders': {
    params: {};
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      q?: string;
      status?: Array<'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned'>;
      customer_id?: string;
      external_id?: string;
      product_id?: string;
      currency?: string;
      channel?: string;
      tag?: string;
      created_from?: string;
      created_to?: string;
      placed_from?: string;
      placed_to?: string;
      updated_since?: string;
      sort?: '-created_at' | 'created_at' | '-placed_at' | 'placed_at' | '-updated_at' | 'updated_at' | '-total' | 'total';
      expand?: 'items' | 'all';
    };
    body: undefined;
    answer: { success: true; data: Array<Schemas['ListedOrder']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/orders': { params: {}; query: {}; body: Schemas['NewOrder']; answer: { success: true; data: Schemas['Order'] } };
  'POST /api/v1/orders/batch': {
    params: {};
    query: {};
    body: Array<Schemas['BatchedOrder']>;
    answer: {
      success: true;
      data: Array<{ index: number; success: boolean; data?: Schemas['OrderReceipt']; error?: Schemas['Failure'] }>;
      total: number;
      failed: number;
    };
  };
  'GET /api/v1/orders/export': {
    params: {};
    query: {
      q?: string;
      status?: Array<'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned'>;
      customer_id?: string;
      external_id?: string;
      product_id?: string;
      currency?: string;
      channel?: string;
      tag?: string;
      created_from?: string;
      created_to?: string;
      placed_from?: string;
      placed_to?: string;
      updated_since?: string;
      format?: 'csv' | 'jsonl' | 'parquet';
      rows?: 'orders' | 'lines';
    };
    body: undefined;
    answer: unknown;
  };
  'GET /api/v1/orders/{id}': { params: { id: string }; query: {}; body: undefined; answer: { success: true; data: Schemas['Order'] } };
  'PATCH /api/v1/orders/{id}': {
    params: { id: string };
    query: {};
    body: Schemas['OrderPatch'];
    answer: { success: true; data: Schemas['Order'] | Schemas['OrderState'] };
  };
  'POST /api/v1/orders/{id}/transitions': {
    params: { id: string };
    query: {};
    body: Schemas['OrderTransition'];
    answer: { success: true; data: Schemas['Order'] | Schemas['OrderState'] };
  };
  'POST /api/v1/orders/{id}/fulfillments': {
    params: { id: string };
    query: {};
    body: Schemas['NewFulfillment'];
    answer: { success: true; data: Schemas['DoneFulfillment'] | Schemas['DeedReceipt'] };
  };
  'GET /api/v1/orders/{id}/fulfillments': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Fulfillment']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/orders/{id}/returns': {
    params: { id: string };
    query: {};
    body: Schemas['NewReturn'];
    answer: { success: true; data: Schemas['DoneReturn'] | Schemas['DeedReceipt'] };
  };
  'GET /api/v1/orders/{id}/returns': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Return']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/orders/{id}/refunds': {
    params: { id: string };
    query: {};
    body: Schemas['NewRefund'];
    answer: { success: true; data: Schemas['DoneRefund'] | Schemas['DeedReceipt'] };
  };
  'GET /api/v1/orders/{id}/refunds': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Refund']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/customers': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Customer']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/customers/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Customer'] };
  };
  'GET /api/v1/customers/{id}/orders': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['ListedOrder']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/customers/{id}/erase': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Erasure'] };
  };
  'GET /api/v1/erasures': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Erasure']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/erasures/{id}': { params: { id: string }; query: {}; body: undefined; answer: { success: true; data: Schemas['Erasure'] } };
  'GET /api/v1/products': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; category?: string; updated_since?: string; q?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Product']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/products/sync': {
    params: {};
    query: {};
    body: Schemas['ProductInput'];
    answer: { success: true; data: Schemas['SyncedProduct'] };
  };
  'POST /api/v1/products/sync/batch': {
    params: {};
    query: {};
    body: Array<Schemas['ProductInput']>;
    answer: {
      success: true;
      data: Array<{ index: number; success: boolean; data?: Schemas['SyncedProduct']; error?: Schemas['Failure'] }>;
      total: number;
      failed: number;
    };
  };
  'GET /api/v1/products/{product_id}': {
    params: { product_id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Product'] };
  };
  'PATCH /api/v1/products/{product_id}': {
    params: { product_id: string };
    query: {};
    body: Schemas['ProductChange'];
    answer: { success: true; data: Schemas['SyncedProduct'] | Schemas['ProductState'] };
  };
  'DELETE /api/v1/products/{product_id}': {
    params: { product_id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: { product_id: string; deleted: true } };
  };
  'GET /api/v1/products/{product_id}/stock': {
    params: { product_id: string };
    query: { limit?: number; offset?: number; cursor?: string; location?: string };
    body: undefined;
    answer: { success: true; data: Schemas['ProductStock']; total: number; next_cursor: string | null };
  };
  'POST /api/v1/stock/movements': {
    params: {};
    query: {};
    body: Schemas['NewStockMovement'] | Array<Schemas['NewStockMovement']>;
    answer: { success: true; data: Schemas['StockMovement'] | Array<Schemas['StockMovement']> };
  };
  'GET /api/v1/datasync/sources': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; ready?: 'true' | 'false' };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Source']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/datasync/sources': {
    params: {};
    query: {};
    body: Schemas['NewSource'];
    answer: { success: true; data: Schemas['SavedSource'] };
  };
  'POST /api/v1/datasync/sources/check': {
    params: {};
    query: {};
    body: Schemas['UnsavedSource'];
    answer: { success: true; data: Schemas['CheckResult'] };
  };
  'POST /api/v1/datasync/sources/outline': {
    params: {};
    query: {};
    body: Schemas['UnsavedSource'];
    answer: { success: true; data: Schemas['Outline'] | null };
  };
  'POST /api/v1/datasync/sources/sample': {
    params: {};
    query: {};
    body: Schemas['UnsavedSample'];
    answer: { success: true; data: Schemas['Sample'] };
  };
  'GET /api/v1/datasync/sources/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Source'] };
  };
  'PUT /api/v1/datasync/sources/{id}': {
    params: { id: string };
    query: {};
    body: Schemas['ChangedSource'];
    answer: { success: true; data: Schemas['SavedSource'] };
  };
  'DELETE /api/v1/datasync/sources/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Source'] };
  };
  'POST /api/v1/datasync/sources/{id}/check': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['CheckResult'] };
  };
  'GET /api/v1/datasync/sources/{id}/streams': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string; q?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Stream']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/datasync/sources/{id}/streams/{name}/sample': {
    params: { id: string; name: string };
    query: { limit?: number };
    body: undefined;
    answer: { success: true; data: Schemas['Sample'] };
  };
  'POST /api/v1/datasync/sample': { params: {}; query: {}; body: undefined; answer: { success: true; data: Schemas['SampleFiles'] } };
  'GET /api/v1/datasync/connectors': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; q?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Connector']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/datasync/sync/check': {
    params: {};
    query: {};
    body: Schemas['UnsavedSynchronization'];
    answer: { success: true; data: Schemas['TriedSynchronization'] };
  };
  'POST /api/v1/datasync/sync/schedule': {
    params: {};
    query: {};
    body: Schemas['ScheduleQuestion'];
    answer: { success: true; data: Schemas['ScheduleTimes'] };
  };
  'GET /api/v1/datasync/sync/{id}/versions': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Array<Schemas['SynchronizationVersion']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/datasync/sync/{id}/versions/{version}': {
    params: { id: string; version: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['SynchronizationVersionWhole'] };
  };
  'POST /api/v1/datasync/sync/{id}/versions/{version}/restore': {
    params: { id: string; version: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['SavedSynchronization'] };
  };
  'GET /api/v1/datasync/sync': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; status?: 'active' | 'paused' | 'all' };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Synchronization']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/datasync/sync': {
    params: {};
    query: {};
    body: Schemas['NewSynchronization'];
    answer: { success: true; data: Schemas['SavedSynchronization'] };
  };
  'GET /api/v1/datasync/sync/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Synchronization'] };
  };
  'PUT /api/v1/datasync/sync/{id}': {
    params: { id: string };
    query: {};
    body: Schemas['ChangedSynchronization'];
    answer: { success: true; data: Schemas['SavedSynchronization'] };
  };
  'DELETE /api/v1/datasync/sync/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Synchronization'] };
  };
  'POST /api/v1/datasync/sync/{id}/pause': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Synchronization'] };
  };
  'POST /api/v1/datasync/sync/{id}/resume': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Synchronization'] };
  };
  'POST /api/v1/datasync/sync/{id}/reset': {
    params: { id: string };
    query: {};
    body: Schemas['ResetSynchronization'] | undefined;
    answer: { success: true; data: Schemas['Synchronization'] };
  };
  'GET /api/v1/datasync/hooks': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Hook']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/datasync/hooks': {
    params: {};
    query: {};
    body: Schemas['NewHook'];
    answer: { success: true; data: Schemas['HookWithToken'] };
  };
  'GET /api/v1/datasync/hooks/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Hook'] };
  };
  'PUT /api/v1/datasync/hooks/{id}': {
    params: { id: string };
    query: {};
    body: Schemas['ChangedHook'];
    answer: { success: true; data: Schemas['Hook'] };
  };
  'DELETE /api/v1/datasync/hooks/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Hook'] };
  };
  'POST /api/v1/datasync/hooks/{id}/rotate': {
    params: { id: string };
    query: {};
    body: Schemas['RotateHook'] | undefined;
    answer: { success: true; data: Schemas['HookWithToken'] };
  };
  'GET /api/v1/datasync/hooks/{id}/calls': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['HookCall']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/datasync/sync/{id}/runs': {
    params: { id: string };
    query: {};
    body: Schemas['NewRun'] | undefined;
    answer: { success: true; data: Schemas['Run'] };
  };
  'GET /api/v1/datasync/sync/{id}/runs': {
    params: { id: string };
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      status?: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
      proofs?: 'true' | 'false';
    };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Run']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/datasync/runs': {
    params: {};
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      status?: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
      sync_id?: string;
      ended_from?: string;
      ended_to?: string;
      writing?: 'true' | 'false';
    };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Run']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/datasync/runs/{id}': { params: { id: string }; query: {}; body: undefined; answer: { success: true; data: Schemas['Run'] } };
  'GET /api/v1/datasync/runs/{id}/events': { params: { id: string }; query: {}; body: undefined; answer: unknown };
  'POST /api/v1/datasync/runs/{id}/cancel': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Run']; message?: string };
  };
  'POST /api/v1/datasync/runs/{id}/approve': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Run'] };
  };
  'GET /api/v1/datasync/sync/{id}/rejects': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string; stream?: string; status?: 'open' | 'resolved' | 'all' };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Reject']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/datasync/sync/{id}/rejects/retry': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Run'] };
  };
  'GET /api/v1/datasync/runs/{id}/rejects': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string; stream?: string; status?: 'open' | 'resolved' };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Reject']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/datasync/runs/{id}/rejects/retry': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Run'] };
  };
  'POST /api/v1/datasync/runs/{id}/undo': {
    params: { id: string };
    query: {};
    body: { preview?: boolean } | undefined;
    answer: { success: true; data: { run: Schemas['Run']; preview?: Schemas['UndoPreview']; message: string } };
  };
  'GET /api/v1/datasync/logs': {
    params: {};
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      sync_id?: string;
      run_id?: string;
      source_id?: string;
      level?: 'debug' | 'info' | 'warn' | 'error';
      from?: string;
      to?: string;
      q?: string;
      follow?: 'true' | 'false';
    };
    body: undefined;
    answer: { success: true; data: Array<Schemas['LogEntry']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/datasync/metrics': {
    params: {};
    query: { window?: '1h' | '24h' | '7d' | '30d'; sync_id?: string };
    body: undefined;
    answer: { success: true; data: Schemas['Metrics'] };
  };
  'GET /metrics': { params: {}; query: {}; body: undefined; answer: unknown };
  'GET /api/v1/alerts': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Alert']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/alerts': { params: {}; query: {}; body: Schemas['NewAlert']; answer: { success: true; data: Schemas['AlertWithSecret'] } };
  'GET /api/v1/alerts/{id}': { params: { id: string }; query: {}; body: undefined; answer: { success: true; data: Schemas['Alert'] } };
  'PUT /api/v1/alerts/{id}': {
    params: { id: string };
    query: {};
    body: Schemas['ChangedAlert'];
    answer: { success: true; data: Schemas['AlertWithSecret'] };
  };
  'DELETE /api/v1/alerts/{id}': { params: { id: string }; query: {}; body: undefined; answer: { success: true; data: Schemas['Alert'] } };
  'POST /api/v1/alerts/{id}/test': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['AlertTest'] };
  };
  'GET /api/v1/alerts/{id}/messages': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string; status?: 'waiting' | 'sent' | 'skipped' | 'failed' };
    body: undefined;
    answer: { success: true; data: Array<Schemas['AlertMessage']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/incidents': {
    params: {};
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      status?: 'open' | 'closed' | 'all';
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
      object_id?: string;
    };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Incident']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/events': {
    params: {};
    query: { limit?: number; after?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Event']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/webhooks': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; status?: 'active' | 'paused' | 'disabled' };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Webhook']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/webhooks': {
    params: {};
    query: {};
    body: Schemas['NewWebhook'];
    answer: { success: true; data: Schemas['WebhookWithSecret'] };
  };
  'GET /api/v1/webhooks/{id}': { params: { id: string }; query: {}; body: undefined; answer: { success: true; data: Schemas['Webhook'] } };
  'PUT /api/v1/webhooks/{id}': {
    params: { id: string };
    query: {};
    body: Schemas['ChangedWebhook'];
    answer: { success: true; data: Schemas['Webhook'] };
  };
  'DELETE /api/v1/webhooks/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Webhook'] };
  };
  'POST /api/v1/webhooks/{id}/pause': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Webhook'] };
  };
  'POST /api/v1/webhooks/{id}/resume': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['Webhook'] };
  };
  'POST /api/v1/webhooks/{id}/rotate': {
    params: { id: string };
    query: {};
    body: Schemas['RotateWebhook'] | undefined;
    answer: { success: true; data: Schemas['WebhookWithSecret'] };
  };
  'POST /api/v1/webhooks/{id}/test': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['WebhookTest'] };
  };
  'GET /api/v1/webhooks/{id}/deliveries': {
    params: { id: string };
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      status?: 'waiting' | 'delivered' | 'failed';
      type?: string;
      object_id?: string;
    };
    body: undefined;
    answer: { success: true; data: Array<Schemas['WebhookDelivery']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/webhooks/{id}/deliveries/{sequence}': {
    params: { id: string; sequence: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['WebhookDeliveryInFull'] };
  };
  'POST /api/v1/webhooks/{id}/replay': {
    params: { id: string };
    query: {};
    body: Schemas['WebhookReplay'];
    answer: { success: true; data: { queued: number } };
  };
  'GET /api/v1/datasync/config': {
    params: {};
    query: { state?: 'true' | 'false' };
    body: undefined;
    answer: { success: true; data: Schemas['ExportedConfiguration'] };
  };
  'GET /api/v1/datasync/config/sources/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: Schemas['WrittenConfiguration'] };
  };
  'GET /api/v1/datasync/config/syncs/{id}': {
    params: { id: string };
    query: { version?: number };
    body: undefined;
    answer: { success: true; data: Schemas['WrittenConfiguration'] };
  };
  'POST /api/v1/datasync/config/plan': {
    params: {};
    query: {};
    body: Schemas['ConfigurationToPlan'];
    answer: { success: true; data: Schemas['ConfigurationPlan'] };
  };
  'POST /api/v1/datasync/config/apply': {
    params: {};
    query: {};
    body: Schemas['ConfigurationToApply'];
    answer: { success: true; data: Schemas['AppliedConfiguration'] };
  };
  'GET /api/v1/me': { params: {}; query: {}; body: undefined; answer: { success: true; data: Schemas['Me'] } };
  'GET /api/v1/keys': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Key']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/keys': { params: {}; query: {}; body: Schemas['NewKey']; answer: { success: true; data: Schemas['KeyWithSecret'] } };
  'GET /api/v1/keys/{id}': { params: { id: string }; query: {}; body: undefined; answer: { success: true; data: Schemas['Key'] } };
  'DELETE /api/v1/keys/{id}': { params: { id: string }; query: {}; body: undefined; answer: { success: true; data: Schemas['Key'] } };
  'POST /api/v1/keys/{id}/rotate': {
    params: { id: string };
    query: {};
    body: { overlap_seconds?: number } | undefined;
    answer: { success: true; data: Schemas['KeyWithSecret'] };
  };
  'POST /api/v1/sessions': { params: {}; query: {}; body: undefined; answer: { success: true; data: Schemas['SignInSession'] } };
  'GET /api/v1/sessions': { params: {}; query: {}; body: undefined; answer: { success: true; data: Array<Schemas['SignInSession']> } };
  'DELETE /api/v1/sessions': { params: {}; query: {}; body: undefined; answer: { success: true; data: { ended: number } } };
  'DELETE /api/v1/sessions/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: { ended: number } };
  };
  'GET /api/v1/audit': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; object_id?: string; actor?: string; action?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['AuditEntry']>; total: number; next_cursor: string | null };
  };
  'GET /api/v1/nodes': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: { success: true; data: Array<Schemas['Node']>; total: number; next_cursor: string | null };
  };
  'POST /api/v1/hooks/{token}': {
    params: { token: string };
    query: {};
    body: undefined;
    answer: { success: true; data: { id: string | null; duplicate: boolean } };
  };
}

/** By the operation that moves something from state to state: from each state those that may follow. */
export const TRANSITIONS = {
  'POST /api/v1/orders/{id}/transitions': {
    'new': ['processing', 'on_hold', 'cancelled'],
    on_hold: ['processing', 'cancelled'],
    processing: ['shipped', 'on_hold', 'cancelled'],
    shipped: ['delivered', 'returned'],
    delivered: ['returned'],
    cancelled: [],
    returned: [],
  },
} as const;

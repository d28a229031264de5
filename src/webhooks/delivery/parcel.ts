/** One event for one endpoint, from when it is taken in until it is over. */
export interface Parcel {
  readonly seq: number;
  readonly type: string;
  readonly objectId: string;
  /** When the event came to be, as ISO text. */
  readonly createdAt: string;
  /** Those that count by the schedule. */
  attempts: number;
  /** Those that its row tells, as far as is known here. When there are fewer by now, a person wants it to be sent again. */
  rowAttempts: number;
  /** Not before this time; 0 for at once. */
  nextAt: number;
  /** When it was last tried in this process; 0 for never. */
  lastAt: number;
  /** `behind`: another one of the same object comes first. */
  state: 'ready' | 'later' | 'behind' | 'in flight' | 'over';
  /** Whether there is a row of it, or will be with the next record. */
  hasRow: boolean;
  /** Whether it is sent to find out whether the endpoint is back. */
  isProbe: boolean;
  /** Whether it was sent before its time. */
  isEarly: boolean;
  /** What happened at its attempts, the last ones; undefined when only its row knows. */
  log: AttemptEntry[] | undefined;
}

/** One attempt, as it is kept and shown. */
export interface AttemptEntry {
  readonly at: string;
  readonly duration_ms: number;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
}

/** How an attempt ended. */
export interface Outcome {
  readonly isDelivered: boolean;
  /** The receiver wants nothing more, ever (410). */
  readonly isGone: boolean;
  /** Milliseconds that the receiver asks us to wait for. */
  readonly retryAfter: number;
  /** Whether that concerns all that is sent to it (429, 503), not this message alone. */
  readonly holdsAll: boolean;
  readonly entry: AttemptEntry;
}

export type DeliveryStatus = 'waiting' | 'delivered' | 'failed';

/** What is to be written of an item. */
export interface RowChange {
  readonly seq: number;
  readonly type: string;
  readonly objectId: string;
  readonly createdAt: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** What the row is known to tell before the change. */
  readonly rowAttempts: number;
  readonly at: number;
  readonly nextAt: number | null;
  readonly log: readonly AttemptEntry[];
}

/** What a row says when deliveries begin. */
export interface KnownRow {
  readonly seq: number;
  readonly type: string;
  readonly objectId: string;
  readonly createdAt: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly nextAt: number;
}

/** As many attempts are kept of each delivery. */
const KEPT_ENTRIES = 10;

export function newParcel(event: Pick<Parcel, 'seq' | 'type' | 'objectId' | 'createdAt'>): Parcel {
  const { seq, type, objectId, createdAt } = event;
  return {
    seq,
    type,
    objectId,
    createdAt,
    attempts: 0,
    rowAttempts: 0,
    nextAt: 0,
    lastAt: 0,
    state: 'behind',
    hasRow: false,
    isProbe: false,
    isEarly: false,
    log: [],
  };
}

export function parcelOfRow(row: KnownRow): Parcel {
  return { ...newParcel(row), attempts: row.attempts, rowAttempts: row.attempts, nextAt: row.nextAt, hasRow: true, log: undefined };
}

export function addEntry(item: Parcel, entry: AttemptEntry): void {
  item.log = [...(item.log ?? []), entry].slice(-KEPT_ENTRIES);
}

export function rowOf(item: Parcel, status: DeliveryStatus, at: number): RowChange {
  const { seq, type, objectId, createdAt, attempts, rowAttempts, nextAt, log } = item;
  // Without a time of its own it follows as soon as those before it are over.
  const waitsUntil = status === 'waiting' && nextAt > 0 ? nextAt : null;
  return { seq, type, objectId, createdAt, status, attempts, rowAttempts, at, nextAt: waitsUntil, log: log ?? [] };
}

/** Which of several is sent first to find out whether the endpoint is back: the lowest. */
export function probeRank({ lastAt, attempts }: Parcel): number {
  return lastAt > 0 ? lastAt : attempts === 0 ? 0 : 1;
}

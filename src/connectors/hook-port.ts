/** A call as it was kept. */
export interface KeptCall {
  readonly seq: number;
  readonly sender_id: string | null;
  /** ISO 8601. */
  readonly received_at: string;
  /** JSON. */
  readonly headers: string;
  readonly body: string;
  readonly encoding: 'utf8' | 'base64';
}

/** What the connector of hooks asks of them: the calls that other systems have made to this Syncline. */
export interface HookPort {
  /** Undefined when there is no such hook. */
  find(hookId: string): Promise<{ name: string; calls: number } | undefined>;
  /** Calls behind a sequence, in their order; fewer than asked for when they are large, and none when there are no more. */
  read(hookId: string, after: number, most: number): Promise<readonly KeptCall[]>;
}

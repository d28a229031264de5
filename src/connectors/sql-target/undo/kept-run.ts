/** What is known of a run and a table that it writes to: a row of the table of runs. */
export interface KeptRun {
  /** The number by which the journal calls it. */
  readonly id: number;
  readonly run: string;
  /** The stream, as the synchronization calls it. */
  readonly stream: string;
  /** What is kept lies behind this number in the journal. */
  readonly fromSeq: number;
  /** The columns that tell rows apart. */
  readonly key: readonly string[];
  /** The table had no rows when the run began: nothing is kept of it. */
  readonly isFilled: boolean;
  /** The run has changed too many rows: nothing is kept of it any more. */
  readonly isTooMuch: boolean;
  /** JSON: an UndoneStream, once it was taken back. */
  readonly outcome: string | null;
}

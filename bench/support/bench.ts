/** What the command line asks for. */
export interface Bench {
  rounds: number;
  seconds: number;
}

/** A part of the benchmark; it adds its figures to the report. */
export type Section = (bench: Bench) => Promise<void>;

/** What the command line asks for where rows are moved. */
interface RowsBench {
  rounds: number;
  rows: number;
}

/** The part of one connector: a file `sections/connector-<name>.ts` that exports it as `section`. */
export type ConnectorSection = (bench: RowsBench) => Promise<void>;

/** A part of the benchmark of synchronizations. */
export type SyncSection = (bench: RowsBench) => Promise<void>;

/** What the command line asks for where there are several nodes. */
interface ClusterBench {
  rounds: number;
  seconds: number;
  runs: number;
  rows: number;
}

/** A part of the benchmark of several nodes. */
export type ClusterSection = (bench: ClusterBench) => Promise<void>;

/** What the command line asks for where logs are followed. */
interface LiveBench {
  rounds: number;
  transactions: number;
}

/** A part of the benchmark of live synchronizations. */
export type LiveSection = (bench: LiveBench) => Promise<void>;

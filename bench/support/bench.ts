/** What the command line asks for. */
export interface Bench {
  rounds: number;
  seconds: number;
}

/** A part of the benchmark; it adds its figures to the report. */
export type Section = (bench: Bench) => Promise<void>;

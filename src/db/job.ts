/** What jobs are about: runs that are due, and parts of runs that any node may take. */
export type Queue = 'runs' | 'parts';

/**
 * Word that something is due. A job is never the truth: that is the row it names, with its lease and its token. So a job that
 * comes twice claims nothing the second time, and one that is lost is found by a look at the rows.
 */
export interface Job {
  /** Names the row, once in a queue: the same job given twice is one. */
  readonly key: string;
  /** When it may begin, as ISO text by the database's clock; at once when it is missing. */
  readonly notBefore?: string;
}

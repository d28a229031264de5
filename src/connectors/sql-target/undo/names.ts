import { createHash } from 'node:crypto';

/** The table beside the data that tells of which runs something is kept, and in which table. */
export const UNDO_TABLE = '_syncline_undo';

/** The columns that a journal has beside those of its table. */
export const SEQ = '_syncline_seq';
export const RUN = '_syncline_run';
export const OP = '_syncline_op';

/** A row as it was, and a row as it is now. */
export const BEFORE = '-';
export const AFTER = '+';

/** The table that keeps the rows of another as they were and as they are now. Later versions must find it by the same name. */
export function journalName(table: string): string {
  return `${UNDO_TABLE}_${digest(table)}`;
}

/** Another one for every other content. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

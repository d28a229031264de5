/** The table beside the data that keeps, for each owner, how far it has come and the token of whoever may go on. */
export const CHECKPOINT_TABLE = '_syncline_checkpoints';

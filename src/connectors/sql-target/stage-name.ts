import { createHash } from 'node:crypto';

/** How the names of all stages begin. Nobody else's table is called so: what Syncline keeps is neither read nor written as a stream. */
const STAGE_PREFIX = '_syncline_stage_';

/**
 * The table that collects the rows of a mirror until all are there. Those who come later find it by what it was named after, so
 * neither that nor the number of digits may ever change for a connector.
 */
export function stageName(after: string, digits = 24): string {
  return `${STAGE_PREFIX}${createHash('sha256').update(after).digest('hex').slice(0, digits)}`;
}

/** The table beside a stage with the keys of rows that could not be used. It is there only when there are some. */
export function sparedName(stage: string): string {
  return `${stage}_spared`;
}

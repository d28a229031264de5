import type { Position } from '../../connectors/batch.ts';
import type { ChangeLog } from '../../connectors/changes.ts';

/** The earliest of some positions in a log. */
export function earliest(log: Pick<ChangeLog, 'isBefore'>, [first, ...others]: readonly Position[]): Position {
  return others.reduce((one, other) => (log.isBefore(other, one) ? other : one), first as Position);
}

import type { WriteMode } from '../../connectors/contract.ts';
import type { Mode } from '../definition.ts';
import type { EndView } from './end-view.ts';

/** How a stream of each mode is written. */
export const WRITE_MODES: Readonly<Record<Mode, WriteMode>> = {
  mirror: 'mirror',
  incremental: 'upsert',
  append: 'append',
  // How it is loaded; what follows is applied.
  cdc: 'mirror',
};

const MODES = Object.keys(WRITE_MODES) as readonly Mode[];

/** The modes in which the stream of a target can be written. */
export function modesInto({ abilities, stream }: EndView): readonly Mode[] {
  const taken = stream?.takes?.modes ?? abilities.write;
  const isTaken = (mode: WriteMode): boolean => abilities.write.includes(mode) && taken.includes(mode);
  return MODES.filter((mode) => isTaken(WRITE_MODES[mode]) && (mode !== 'cdc' || abilities.applies === true));
}

/** Whether rows with this key can be mirrored into a target. */
export function canMirror(target: EndView, key: readonly string[]): boolean {
  return modesInto(target).includes('mirror') && (key.length > 0 || target.abilities.keylessMirror === true);
}

/** Whether rows of a target can be removed. */
export function canRemove({ abilities, stream }: EndView): boolean {
  return abilities.deletes && stream?.takes?.deletes !== false;
}

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

function takes({ abilities, stream }: EndView, mode: WriteMode): boolean {
  return abilities.write.includes(mode) && (stream?.takes?.modes ?? abilities.write).includes(mode);
}

/** The modes in which the stream of a target can be written. */
export function modesInto(target: EndView): readonly Mode[] {
  const isPossible = (mode: Mode): boolean => takes(target, WRITE_MODES[mode]) && (mode !== 'cdc' || target.abilities.applies === true);
  return MODES.filter((mode) => isPossible(mode) || (mode === 'mirror' && isMirroredByLedger(target)));
}

/** Whether a target that takes changes by their keys, and cannot compare them with what it has, is mirrored by what it has accepted. */
export function isMirroredByLedger(target: EndView): boolean {
  return takes(target, 'upsert') && !takes(target, 'mirror');
}

/** Whether rows with this key can be mirrored into a target. */
export function canMirror(target: EndView, key: readonly string[]): boolean {
  return modesInto(target).includes('mirror') && (key.length > 0 || target.abilities.keylessMirror === true);
}

/** Whether rows of a target can be removed. */
export function canRemove({ abilities, stream }: EndView): boolean {
  return abilities.deletes && stream?.takes?.deletes !== false;
}

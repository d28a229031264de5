import { liveOwner } from './live/release.ts';

/** Whose work it is to write a stream: the checkpoint's name in the target. */
export function ownerOf(syncId: string, target: string): string {
  return `${syncId}/${target}`;
}

/** All whose checkpoints a synchronization may have in its target. */
export function ownersOf(syncId: string, targets: readonly string[]): string[] {
  return [...targets.map((target) => ownerOf(syncId, target)), liveOwner(syncId)];
}

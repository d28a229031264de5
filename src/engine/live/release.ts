import { OutsideError } from '../../outside/errors.ts';
import type { Session } from '../../connectors/session.ts';

/** The name under which a source and a target know a live synchronization. */
export function liveOwner(syncId: string): string {
  // No stream is called so: its name follows a slash.
  return syncId;
}

/** Lets a source forget what it keeps for a synchronization. */
export async function releaseLog(source: Session, syncId: string): Promise<void> {
  await source.log?.release(liveOwner(syncId));
}

/**
 * Sees to it that a source does not keep more of its log for a synchronization than it may, also when nobody follows. Answers what it
 * had kept when that was too much: it is given up, and the streams are loaded anew when they are followed again.
 */
export async function boundLog(source: Session, syncId: string, most: number): Promise<number | undefined> {
  const bytes = (await source.log?.kept(liveOwner(syncId)))?.bytes ?? 0;
  if (bytes <= most) return undefined;
  await releaseLog(source, syncId);
  return bytes;
}

/** What a person reads of it. */
export function retainedTooMuch(bytes: number, most: number): OutsideError {
  return new OutsideError(
    'gap',
    'RETAINED_TOO_MUCH',
    `The source kept ${bytes} bytes of its log for this synchronization, and ${most} are allowed. They were given up, so that its disk does not fill up.`,
    { hint: 'Give the synchronization a larger max_retained, or see why the target takes changes so slowly.' },
  );
}

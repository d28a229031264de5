import { closeSync, fsyncSync, openSync } from 'node:fs';

/** What was made, renamed or linked in the folder is on the disk afterwards. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

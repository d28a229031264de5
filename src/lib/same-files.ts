import { statSync } from 'node:fs';

/**
 * Remembers which files (or folders) are at these paths now. What it answers tells at any later time the first path where another one is,
 * or none, although programs that have the old one open can go on as if nothing had happened. By paths alone: to open and close a
 * file of SQLite would free the locks that this process has on it.
 */
export function rememberFiles(paths: readonly string[]): () => string | undefined {
  const known = paths.map((path) => ({ path, identity: identityOf(path) }));
  return () => known.find(({ path, identity }) => identityOf(path) !== identity)?.path;
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return dev === undefined ? undefined : `${dev}:${ino}`;
  } catch {
    // A process that may not look any more has lost it, too.
    return undefined;
  }
}

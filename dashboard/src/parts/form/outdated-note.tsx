import type { ReactNode } from 'react';
import { Note } from '../status/note.tsx';

/** Says that what is being changed here was changed elsewhere meanwhile; the words within say what to do. */
export function OutdatedNote({ what, children }: { what: string; children: ReactNode }) {
  return (
    <Note tone="warning" title={`The ${what} has changed`} role="alert">
      {children}
    </Note>
  );
}

import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { NoteIcon } from '../status/status-shape.tsx';

/** Says that what is being changed here was changed elsewhere meanwhile; the words within say what to do. */
export function OutdatedNote({ what, children }: { what: string; children: ReactNode }) {
  return (
    <Alert
      variant="outline"
      color="orange"
      icon={<NoteIcon tone="warning" />}
      title={`The ${what} has changed`}
      role="alert"
      className="surface"
    >
      {children}
    </Alert>
  );
}

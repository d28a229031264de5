import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ConfirmDialog } from '../action/confirm-dialog.tsx';
import { leave, setGuard } from './leaving.ts';

/** What is told where `useDraft` keeps what was entered. */
export const KEPT_WORDS =
  'What you entered is not saved. It is kept for this tab: when you come back it is there again, unless you sign out.';
/** And where it is kept for the user in this browser. */
export const OFFERED_WORDS = 'What you entered is not saved. It is kept in this browser, and offered to you when you come back.';
/** And where nothing keeps it. */
export const LOST_WORDS = 'What you entered is not saved, and is lost.';

interface Unsaved {
  /** Asks when something is not saved, and goes on unless the user wants to stay. */
  leave: (go: () => void) => void;
  /** What was entered is saved: nobody is asked any more. */
  release: () => void;
  /** The question, to be put anywhere into the form. */
  question: ReactNode;
}

/** Keeps what is not saved from being left by accident: by a link, the way back, signing out, closing a dialog or the tab. */
export function useUnsaved(isDirty: boolean, about: string): Unsaved {
  const [go, setGo] = useState<() => void>();
  const isReleased = useRef(false);
  const unguard = useRef<() => void>(undefined);
  const release = (): void => {
    isReleased.current = true;
    unguard.current?.();
  };
  useEffect(() => {
    if (!isDirty || isReleased.current) return undefined;
    unguard.current = setGuard((wanted) => setGo(() => wanted));
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (!isReleased.current) event.preventDefault();
    };
    addEventListener('beforeunload', onUnload);
    return () => {
      unguard.current?.();
      removeEventListener('beforeunload', onUnload);
    };
  }, [isDirty]);
  const question = go && (
    // Only while it is asked: the Escape that asks would close it as well.
    <ConfirmDialog
      opened
      title="Leave without saving?"
      about={about}
      verb="Leave"
      onConfirm={() => {
        release();
        setGo(undefined);
        go();
      }}
      onClose={() => setGo(undefined)}
    />
  );
  return { leave, release, question };
}

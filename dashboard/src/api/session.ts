import { useSyncExternalStore } from 'react';

/** The key of this tab: it is forgotten with the tab and never written to disk by us. */
const STORE = 'syncline.key';

interface Session {
  readonly key: string | undefined;
  /** Why there is no key any more, in a sentence for the sign-in page. */
  readonly notice: string | undefined;
}

let session: Session = { key: sessionStorage.getItem(STORE) ?? undefined, notice: undefined };
const listeners = new Set<() => void>();

function become(next: Session): void {
  session = next;
  if (next.key === undefined) sessionStorage.removeItem(STORE);
  else sessionStorage.setItem(STORE, next.key);
  for (const listener of listeners) listener();
}

export function currentKey(): string | undefined {
  return session.key;
}

export function signIn(key: string): void {
  become({ key, notice: undefined });
}

/** Signing out leaves nothing behind, also nothing of what was not saved: the next user of this tab may be another person. */
export function signOut(): void {
  sessionStorage.clear();
  become({ key: undefined, notice: undefined });
}

/** The service no longer takes the key: back to the sign-in page, unless another key is in use by now. */
export function endSession(key: string): void {
  if (session.key === key)
    become({
      key: undefined,
      notice: 'Your session has ended: the key is not valid any more. It may have expired or been revoked. Sign in again to go on.',
    });
}

export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );
}

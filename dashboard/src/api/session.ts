import { useSyncExternalStore } from 'react';

/**
 * Who has signed in is kept by the browser, in a cookie that no script can read: whether there is one is known when the service has been asked. All
 * tabs share it, so they tell each other.
 */
interface Session {
  readonly state: 'unknown' | 'in' | 'out';
  /** Another one with every sign-in: what one key may see is nothing for the next. */
  readonly number: number;
  /** Why it is over, in a sentence for the sign-in page. */
  readonly notice: string | undefined;
}

/** What the address says of a sign-in at the issuer that has just ended: `#signed-in`, or why there is none. */
let cameBack = /^#(signed-in|sign-in=.*)$/.test(location.hash) ? location.hash.slice(1) : '';
if (cameBack !== '') history.replaceState(history.state, '', location.pathname + location.search);

let session: Session = { state: 'unknown', number: 0, notice: undefined };
const listeners = new Set<() => void>();
const tabs = new BroadcastChannel('syncline.session');

function become(state: Session['state'], notice?: string): void {
  if (state === 'in') cameBack = '';
  session = { state, number: session.number + 1, notice };
  for (const listener of listeners) listener();
}

tabs.addEventListener('message', ({ data }: MessageEvent<'in' | 'out'>) => {
  // Another key may have signed in: nothing of what this tab has shown is good any more.
  if (data === 'in' && session.state === 'in') location.reload();
  else if (data === 'in') become('in');
  else if (session.state !== 'out') leaveNothing('You have signed out in another tab.');
});

/** The next user of this tab may be another person, who is to find nothing of what was not saved. */
function leaveNothing(notice?: string): void {
  sessionStorage.clear();
  become('out', notice);
}

export function currentSession(): number {
  return session.number;
}

/** The service has taken a key. */
export function signedIn(): void {
  become('in');
  tabs.postMessage('in');
}

/** The service has answered as to one who has signed in. */
export function confirmSession(): void {
  if (session.state !== 'unknown') return;
  session = { ...session, state: 'in' };
  if (cameBack === 'signed-in') tabs.postMessage('in');
  cameBack = '';
}

/** How a sign-in at the issuer ended from which the browser has just come back, and by what its request is found in the log. */
export function endedSignIn(): { outcome: string; request: string } | undefined {
  const told = new URLSearchParams(cameBack);
  const [outcome, request] = [told.get('sign-in'), told.get('request') ?? ''];
  return outcome === null ? undefined : { outcome, request: /^[\w.-]{1,100}$/.test(request) ? request : '' };
}

export function signedOut(): void {
  leaveNothing();
  tabs.postMessage('out');
}

/** The service does not take the cookie any more: back to the sign-in page, unless there is another sign-in by now. */
export function endSession(number: number): void {
  if (session.number !== number || session.state === 'out') return;
  if (session.state === 'unknown') become('out');
  else
    become(
      'out',
      'Your session has ended. Its time is up, you signed out elsewhere, or the key has expired or been revoked. Sign in again to go on.',
    );
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

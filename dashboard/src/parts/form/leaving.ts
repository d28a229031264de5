/** Asked before the user leaves a page on which something is not saved; goes on with what it is given, or does not. */
type Guard = (go: () => void) => void;

let guard: Guard | undefined;
/** The page that it guards. */
let guarded = '';

/** Watches this page, until what is answered is called: by then another page may have a guard of its own, which stays. */
export function setGuard(next: Guard): () => void {
  guard = next;
  guarded = address();
  return () => {
    if (guard === next) guard = undefined;
  };
}

/** Every way off a page leads through here: links, buttons that go elsewhere, signing out. */
export function leave(go: () => void): void {
  if (guard) guard(go);
  else go();
}

/**
 * The ways back and forward of the browser. It has gone there already when it says so: the page is put on top again, and then
 * the user is asked. It has to be called before any other listener is added, so that none takes notice of what is taken back.
 */
export function guardHistory(): void {
  addEventListener('popstate', (event) => {
    cameBackTo = address();
    if (!guard || address() === guarded) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', guarded);
    guard(() => history.back());
  });
}

let cameBackTo: string | undefined;

/** Whether this page was reached by the ways back and forward of the browser. */
export function wentBack(): boolean {
  return cameBackTo === address();
}

function address(): string {
  return location.pathname + location.search;
}

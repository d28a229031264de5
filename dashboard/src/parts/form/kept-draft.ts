import { type Dispatch, type SetStateAction, useEffect, useMemo, useRef, useState } from 'react';

interface Kept<Value> {
  /** When it was last changed. */
  at: string;
  /** What it was made from, as text. */
  from: string;
  value: Value;
}

interface Options<Value> {
  /** What there is without any change. */
  initial: Value;
  /** What of a value may be kept: never a secret. */
  safe?: (value: Value) => Value;
  /** Tells two forms of one page apart. */
  part?: string;
  /** The id of the user for whom it is kept in this browser as well, beyond the tab; it is offered, and not restored unasked. */
  user?: string;
}

/** What this user entered in another tab, or before the tab was closed or signed out. */
export interface Offer<Value> {
  at: string;
  value: Value;
  take: () => void;
  /** It is gone then. */
  refuse: () => void;
}

export interface KeptDraft<Value> {
  value: Value;
  set: Dispatch<SetStateAction<Value>>;
  /** What it was made from: what differs from it was changed by this user. */
  base: Value;
  isDirty: boolean;
  /** When what was found from an earlier visit was entered. */
  restoredFrom: string | undefined;
  offer: Offer<Value> | undefined;
  /** Whether another person has saved something else since. */
  isOutdated: boolean;
  /** Back to what there is without any change. */
  discard: () => void;
  /** It is saved: nothing is kept. */
  forget: () => void;
}

/**
 * What is being written on this page, kept for this tab until it is saved or discarded: a reload, the end of a session or a visit
 * elsewhere does not lose it. With `user` it is kept in this browser, too.
 */
export function useDraft<Value>({ initial, safe = (value) => value, part = '', user }: Options<Value>): KeptDraft<Value> {
  const [name] = useState(() => `syncline.draft ${location.pathname}${location.search}${part}`);
  const [lasting] = useState(() => (user === undefined ? undefined : `syncline.draft ${user} ${location.pathname}${part}`));
  const [found, setFound] = useState(() => read<Value>(sessionStorage, name));
  const [offered, setOffered] = useState(() => (found || lasting === undefined ? undefined : lastingDraft<Value>(lasting)));
  const [value, set] = useState(found?.value ?? initial);
  const now = JSON.stringify(initial);
  const [from, setFrom] = useState(found?.from ?? now);
  const isDirty = JSON.stringify(value) !== from;
  const base = useMemo(() => JSON.parse(from) as Value, [from]);
  const isOver = useRef(false);
  // Another person has saved it: a user who has not changed anything yet sees that.
  if (!isDirty && from !== now) {
    setFrom(now);
    set(initial);
  }
  const kept = useRef(value);
  useEffect(() => {
    if (isOver.current || kept.current === value) return;
    kept.current = value;
    if (!isDirty) {
      drop(name, lasting);
      return;
    }
    const latest = { at: new Date().toISOString(), from, value: safe(value) };
    keep(sessionStorage, name, latest);
    if (lasting !== undefined) keep(localStorage, lasting, latest);
  });
  const forget = (): void => {
    isOver.current = true;
    drop(name, lasting);
  };
  const offer = offered && {
    at: offered.at,
    value: offered.value,
    take: () => {
      setFound(offered);
      setFrom(offered.from);
      set(offered.value);
      setOffered(undefined);
    },
    refuse: () => {
      drop(name, lasting);
      setOffered(undefined);
    },
  };
  const discard = (): void => {
    setFrom(now);
    set(initial);
    setFound(undefined);
  };
  return { value, set, base, isDirty, restoredFrom: found?.at, offer, isOutdated: isDirty && from !== now, discard, forget };
}

function drop(name: string, lasting: string | undefined): void {
  sessionStorage.removeItem(name);
  if (lasting !== undefined) localStorage.removeItem(lasting);
}

/** What nobody has come back to for so long is not wanted any more. */
const LASTS = 30 * 24 * 3_600_000;

function lastingDraft<Value>(name: string): Kept<Value> | undefined {
  const kept = read<Value>(localStorage, name);
  if (kept && Date.now() - Date.parse(kept.at) < LASTS) return kept;
  localStorage.removeItem(name);
  return undefined;
}

function keep(store: Storage, name: string, kept: Kept<unknown>): void {
  try {
    store.setItem(name, JSON.stringify(kept));
  } catch {
    // There is no room: then it lives as long as the page does.
  }
}

function read<Value>(store: Storage, name: string): Kept<Value> | undefined {
  try {
    return JSON.parse(store.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';

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
}

export interface KeptDraft<Value> {
  value: Value;
  set: Dispatch<SetStateAction<Value>>;
  isDirty: boolean;
  /** When what was found from an earlier visit was entered. */
  restoredFrom: string | undefined;
  /** Whether another person has saved something else since. */
  isOutdated: boolean;
  /** Back to what there is without any change. */
  discard: () => void;
  /** It is saved: nothing is kept. */
  forget: () => void;
}

/**
 * What is being written on this page, kept for this tab until it is saved or discarded: a reload, the end of a session or a visit
 * elsewhere does not lose it.
 */
export function useDraft<Value>({ initial, safe = (value) => value }: Options<Value>): KeptDraft<Value> {
  const [name] = useState(() => `syncline.draft ${location.pathname}${location.search}`);
  const [found, setFound] = useState(() => read<Value>(name));
  const [value, set] = useState(found?.value ?? initial);
  const now = JSON.stringify(initial);
  const [from, setFrom] = useState(found?.from ?? now);
  const isDirty = JSON.stringify(value) !== from;
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
    if (isDirty) keep(name, { at: new Date().toISOString(), from, value: safe(value) });
    else sessionStorage.removeItem(name);
  });
  const forget = (): void => {
    isOver.current = true;
    sessionStorage.removeItem(name);
  };
  const discard = (): void => {
    setFrom(now);
    set(initial);
    setFound(undefined);
  };
  return { value, set, isDirty, restoredFrom: found?.at, isOutdated: isDirty && from !== now, discard, forget };
}

function keep(name: string, kept: Kept<unknown>): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(kept));
  } catch {
    // There is no room: then it lives as long as the page does.
  }
}

function read<Value>(name: string): Kept<Value> | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

import { type RefObject, useEffect, useRef } from 'react';

/** Milliseconds in which a field that is at fault must have appeared: what it stands in may have to be loaded first. */
const PATIENCE = 10_000;
/** Milliseconds in which a dialog that was opened for the field may take the focus for itself. */
const SETTLING = 500;
/** A field that is marked, or the first of several that are marked together. */
const MARKED = '[aria-invalid="true"], [data-fault] input';

/**
 * For a form: whenever something new is found wrong, the first field that is marked takes the focus as soon as it is there, unless
 * the user does something else meanwhile.
 */
export function useFirstFault<Form extends HTMLElement>(found: unknown): RefObject<Form | null> {
  const form = useRef<Form>(null);
  useEffect(() => (found && form.current ? focusFirstFault(form.current) : undefined), [found]);
  return form;
}

function focusFirstFault(form: HTMLElement): () => void {
  const observer = new MutationObserver(() => take());
  function stop(): void {
    observer.disconnect();
    clearTimeout(timer);
    removeEventListener('focusin', take);
    removeEventListener('keydown', stop);
    removeEventListener('pointerdown', stop);
  }
  let timer = setTimeout(stop, PATIENCE);
  function take(): void {
    const field = form.querySelector<HTMLElement>(MARKED);
    if (!field || field === document.activeElement) return;
    field.focus();
    observer.disconnect();
    clearTimeout(timer);
    timer = setTimeout(stop, SETTLING);
    addEventListener('focusin', take);
  }
  addEventListener('keydown', stop);
  addEventListener('pointerdown', stop);
  observer.observe(form, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-invalid', 'data-fault'] });
  take();
  return stop;
}

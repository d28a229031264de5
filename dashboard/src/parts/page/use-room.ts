import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** How wide an element is, in pixels; known before it is first seen, so that nothing in it jumps. */
export function useRoom<Kind extends HTMLElement>(): [ref: RefObject<Kind | null>, room: number] {
  const ref = useRef<Kind>(null);
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = (): void => setRoom(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, room];
}

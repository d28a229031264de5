import { visible } from './visible.ts';

export { visible };

/** Text that came from outside: names, messages, values of rows. Shown as text whatever it holds, and kept to itself. */
export function OutsideText({ children }: { children: string }) {
  return <bdi className="outside-text">{visible(children)}</bdi>;
}

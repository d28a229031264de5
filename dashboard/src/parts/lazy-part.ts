import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/** Milliseconds; together longer than a restart of the service takes. */
const PAUSES = [300, 1000, 2000, 4000, 8000];

/** A component whose code is loaded when it is first shown, or ahead of that. */
export type LazyPart<Props> = LazyExoticComponent<ComponentType<Props>> & { readonly loadAhead: () => Promise<void> };

/** A component whose code is loaded when it is first shown. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  let known: { default: ComponentType<Props> } | undefined;
  const loadAhead = async (): Promise<void> => {
    // Tried once: when it is wanted it is asked for anew.
    known ??= await load().then(
      (part) => ({ default: part }),
      () => undefined,
    );
  };
  // What is there already is told at once: after a promise, however short, React shows the skeleton first, and for 300 ms at least.
  const told = (part: { default: ComponentType<Props> }): Promise<{ default: ComponentType<Props> }> =>
    // oxlint-disable-next-line unicorn/no-thenable -- this is how React is told at once
    ({ then: (tell: (it: typeof part) => void) => tell(part) }) as never;
  const part = lazy(() => (known ? told(known) : loadPatiently(load).then((component) => ({ default: component }))));
  return Object.assign(part, { loadAhead });
}

/** Loads code. While the service is away that fails, so it is tried again. */
export async function loadPatiently<Code>(load: () => Promise<Code>): Promise<Code> {
  for (const pause of PAUSES) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return load();
}

import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/** Milliseconds; together longer than a restart of the service takes. */
const PAUSES = [300, 1000, 2000, 4000, 8000];

/** A component whose code is loaded when it is first shown. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadPatiently(load) }));
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

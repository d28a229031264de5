import type { SampleWorld } from './sample-world.ts';

export interface SamplePage {
  /** For the names of files and tests. */
  name: string;
  /** Its address in the sample world. */
  path: (world: SampleWorld) => string;
  /** A heading or text by which one knows that it is all there. */
  ready: string;
}

/** Every view with something on it: tried for accessibility and width, and photographed. */
export const PAGES: readonly SamplePage[] = [
  { name: 'overview', path: () => '/', ready: 'Overview' },
  { name: 'welcome', path: () => '/welcome', ready: 'Welcome to Syncline' },
];

import { type ComponentType, lazy } from 'react';
import type { Scope } from './api/resources.ts';
import { type IconType, OverviewIcon } from './parts/icons.tsx';

export interface View {
  /** Its address, with `:name` for what varies. The first part of it must be in PAGES of src/http/dashboard.ts. */
  path: string;
  /** Without one of these scopes it is not shown. None: everybody sees it. */
  scopes: readonly Scope[];
  /** Its place in the navigation; a view without is reached from another one. */
  entry?: { label: string; icon: IconType; group: 'Data' | 'Shop' | 'System' | undefined };
  component: ComponentType;
}

/** A view that is loaded when it is first opened. */
function view(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => ({ default: await load() }));
}

/** Every view there is, in the order of the navigation: a new one is a line here and a folder in `views/`. */
export const VIEWS: readonly View[] = [
  {
    path: '/',
    scopes: [],
    entry: { label: 'Overview', icon: OverviewIcon, group: undefined },
    component: view(async () => (await import('./views/overview/overview.tsx')).Overview),
  },
  { path: '/welcome', scopes: ['datasync:write'], component: view(async () => (await import('./views/welcome/welcome.tsx')).Welcome) },
];

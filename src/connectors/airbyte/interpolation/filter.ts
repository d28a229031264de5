import type { Arguments } from './values.ts';

/** What a filter was given besides its value, and how it gets at other filters and tests. */
export interface FilterGiven {
  readonly args: readonly unknown[];
  readonly named: Arguments;
  readonly filter: (name: string, value: unknown, args: readonly unknown[], named: Arguments) => unknown;
  readonly test: (name: string, value: unknown, args: readonly unknown[]) => boolean;
}

export type TemplateFilter = (value: unknown, given: FilterGiven) => unknown;

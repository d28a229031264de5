import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from './error-state.tsx';
import { PageSkeleton } from './page-skeleton.tsx';

interface LoadedProps<Answer> {
  query: Pick<UseQueryResult<Answer>, 'data' | 'error' | 'refetch'>;
  /** What stands there until it is loaded. */
  skeleton?: ReactNode;
  children: (answer: Answer) => ReactNode;
}

/** What a query answered; until then its shape, and when it failed why. Never a spinner without end. */
export function Loaded<Answer>({ query: { data, error, refetch }, skeleton = <PageSkeleton />, children }: LoadedProps<Answer>) {
  if (data !== undefined) return children(data);
  return error ? <ErrorState error={error} retry={refetch} /> : skeleton;
}

import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../../api/errors.ts';
import type { ListOf } from '../../lists.ts';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { PageHeader } from './page-header.tsx';
import { PageSkeleton } from './page-skeleton.tsx';

interface LoadedPageProps<Answer> {
  query: Pick<UseQueryResult<Answer>, 'data' | 'error' | 'refetch'>;
  /** The list that the thing belongs to: the way back. */
  list: ListOf;
  /** What is written into a form stays there to be copied, also when the thing is gone. */
  isForm?: boolean;
  children: (answer: Answer) => ReactNode;
}

/** The page of one thing, as `Loaded`. What cannot be shown has a head and a way back as well; so has what is gone by now, whatever was shown of it before. */
export function LoadedPage<Answer>({ query: { data, error, refetch }, list, isForm, children }: LoadedPageProps<Answer>) {
  const isGone = error instanceof ApiError && error.status === 404;
  if (data !== undefined && (!isGone || isForm)) return children(data);
  if (!error) return <PageSkeleton />;
  if (!isGone) {
    // An id that cannot be one is refused each time.
    const canHelp = !(error instanceof ApiError && error.status === 400);
    return (
      <>
        <PageHeader title={`The ${list.one} is not shown`} parent={list} />
        <ErrorState error={error} {...(canHelp && { retry: refetch })} />
      </>
    );
  }
  return (
    <>
      <PageHeader title={`This ${list.one} does not exist`} parent={list} />
      <EmptyState
        title={error.message}
        actions={
          <Button component={Link} href={list.href}>
            Go to {list.way ?? list.label}
          </Button>
        }
      >
        It was deleted or erased, or the address is not whole. Look for it in the list.
      </EmptyState>
    </>
  );
}

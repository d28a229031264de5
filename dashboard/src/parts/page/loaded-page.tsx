import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../../api/errors.ts';
import type { ListOf } from '../../lists.ts';
import { visible } from '../words/visible.ts';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { PageHeader } from './page-header.tsx';
import { PageSkeleton } from './page-skeleton.tsx';

interface LoadedPageProps<Answer> {
  query: Pick<UseQueryResult<Answer>, 'data' | 'error' | 'refetch'>;
  /** The list that the thing belongs to: the way back. */
  list: ListOf;
  children: (answer: Answer) => ReactNode;
}

/** The page of one thing, as `Loaded`. What cannot be shown has a head and a way back as well. */
export function LoadedPage<Answer>({ query: { data, error, refetch }, list, children }: LoadedPageProps<Answer>) {
  if (data !== undefined) return children(data);
  if (!error) return <PageSkeleton />;
  if (!(error instanceof ApiError && error.status === 404)) {
    return (
      <>
        <PageHeader title={`The ${list.one} is not shown`} parent={list} />
        <ErrorState error={error} retry={refetch} />
      </>
    );
  }
  return (
    <>
      <PageHeader title={`This ${list.one} does not exist`} parent={list} />
      <EmptyState
        title={visible(error.message)}
        actions={
          <Button component={Link} href={list.href}>
            Go to {list.label}
          </Button>
        }
      >
        It was deleted, or the address is not whole. Look for it in the list.
      </EmptyState>
    </>
  );
}

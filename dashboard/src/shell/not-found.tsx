import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../parts/page/empty-state.tsx';
import { PageHeader } from '../parts/page/page-header.tsx';

export function NotFound() {
  return (
    <>
      <PageHeader title="There is nothing here" />
      <EmptyState
        title="No page has this address, or this key may not see it."
        actions={
          <Button component={Link} href="/">
            Go to the overview
          </Button>
        }
      >
        Check the address. What a key may see is told by its scopes, at the bottom of the navigation.
      </EmptyState>
    </>
  );
}

import { Stack } from '@mantine/core';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { OwnData } from './own-data.tsx';
import { SampleData } from './sample-data.tsx';

/** The first minutes: from nothing to a synchronization that runs. */
export function Welcome() {
  return (
    <>
      <PageHeader title="Welcome to Syncline" about="From nothing to a running synchronization in less than two minutes." />
      <Stack gap="md">
        <SampleData />
        <OwnData />
      </Stack>
    </>
  );
}

import { Skeleton, Stack } from '@mantine/core';

/** The shape of a page that is being loaded. */
export function PageSkeleton({ lines = 6 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      <Skeleton h={28} w="30%" />
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} h={18} w={`${95 - ((line * 17) % 40)}%`} />
      ))}
    </Stack>
  );
}

import { Button, Group, Text } from '@mantine/core';
import { formatCount } from '../words/format.ts';
import { NextIcon, PreviousIcon } from '../icons.tsx';

/** Where in a list one is, as `usePages` tells, and how many a page has. */
export interface PagingPlace {
  total: number | undefined;
  page: number;
  next: (() => void) | undefined;
  previous: (() => void) | undefined;
  size: number;
}

/** What is shown of a list, and the ways on and back. */
export function Paging({ total, page, next, previous, size, shown, label }: PagingPlace & { shown: number; label: string }) {
  const first = page * size + 1;
  // Buttons that lead nowhere are none. The line is as high with them as without.
  const isLong = page > 0 || (total ?? 0) > size;
  return (
    <Group
      component="nav"
      justify="space-between"
      px="md"
      py="xs"
      gap="xs"
      mih={50}
      {...{ 'aria-label': `Pages of ${label.toLowerCase()}` }}
    >
      <Text size="sm" c="dimmed" role="status" className="number">
        {total === undefined
          ? 'Counting…'
          : shown === 0
            ? `None of ${formatCount(total)}`
            : `${formatCount(first)}–${formatCount(first + shown - 1)} of ${formatCount(total)}`}
      </Text>
      {isLong && (
        <Group gap="xs">
          <Button size="xs" variant="default" leftSection={<PreviousIcon size={14} />} disabled={!previous} onClick={previous}>
            Previous
          </Button>
          <Button size="xs" variant="default" rightSection={<NextIcon size={14} />} disabled={!next} onClick={next}>
            Next
          </Button>
        </Group>
      )}
    </Group>
  );
}

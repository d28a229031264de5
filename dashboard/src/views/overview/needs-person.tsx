import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Sync } from '../../api/resources.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { HealthBadge } from '../../parts/status/status.tsx';
import { byUrgency, needsPerson, reasonOf } from './attention.ts';

const MOST = 6;

/** What goes no further by itself: why, and the way to where it is mended. */
export function NeedsPerson({ syncs }: { syncs: readonly Sync[] }) {
  const waiting = syncs.filter(needsPerson).toSorted(byUrgency);
  return (
    <Section title="Needs a person">
      {waiting.length === 0 ? (
        <EmptyState title="Nothing waits for you.">
          What fails, asks for approval or puts rows aside is listed here, with the reason.
        </EmptyState>
      ) : (
        <Stack gap="sm">
          {waiting.slice(0, MOST).map((sync) => (
            <Box key={sync.id}>
              <Group gap="sm" justify="space-between" wrap="nowrap">
                <Anchor component={Link} href={`/syncs/${sync.id}`} size="sm" fw={500} underline="hover">
                  <OutsideText>{sync.name}</OutsideText>
                </Anchor>
                <HealthBadge health={sync.health} />
              </Group>
              <Text size="sm" c="dimmed" lineClamp={3}>
                <OutsideText>{reasonOf(sync)}</OutsideText>
              </Text>
            </Box>
          ))}
          {waiting.length > MOST && (
            <Text size="sm" c="dimmed">
              And {waiting.length - MOST} more: see all synchronizations below.
            </Text>
          )}
        </Stack>
      )}
    </Section>
  );
}

import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Sync } from '../../api/resources.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { HealthBadge } from '../../parts/status/status.tsx';
import { byUrgency, needsPerson, reasonOf } from './attention.ts';

const MOST = 6;

/** What goes no further by itself: why, and the way to where it is corrected. */
export function NeedsPerson({ syncs }: { syncs: readonly Sync[] }) {
  const waiting = syncs.filter(needsPerson).toSorted(byUrgency);
  return (
    <Section title="Needs attention">
      {waiting.length === 0 ? (
        <EmptyState title="Nothing needs attention.">
          What fails, needs approval or has rejected rows is listed here, with the reason.
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

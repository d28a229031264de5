import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '../page/section.tsx';
import { formatMoment } from '../words/format.ts';
import { RelativeTime } from '../words/relative-time.tsx';
import type { Offer } from './kept-draft.ts';

interface DraftOfferProps {
  offer: Pick<Offer<unknown>, 'at' | 'take' | 'refuse'>;
  /** What it is of, in a line. */
  children: ReactNode;
}

/** What was begun and not saved: to go on with, or to be thrown away. The form waits for the answer, so that neither is lost by accident. */
export function DraftOffer({ offer: { at, take, refuse }, children }: DraftOfferProps) {
  return (
    <Section title="You have begun already">
      <Stack gap="sm">
        <Text size="sm">{children}</Text>
        <Text size="sm" c="dimmed">
          Last changed <RelativeTime time={at} />, {formatMoment(at)}. It is kept in this browser, for you alone, and is not saved yet.
        </Text>
        <Group gap="xs">
          <Button onClick={take}>Go on with the draft</Button>
          <Button variant="default" onClick={refuse}>
            Begin anew
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}

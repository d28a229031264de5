import { Button, Group, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import type { Webhook } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { faultsByField } from '../../parts/form/faults.ts';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import { queuedWords } from './webhook-words.ts';

const HOUR = 3_600_000;

/** Sends again what was sent between two moments, delivered or not: for a receiver that has lost something. */
export function ReplayRange({ webhook: { id, name }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [openedAt] = useState(() => Date.now());
  const [from, setFrom] = useState(() => localTime(openedAt - HOUR));
  const [to, setTo] = useState(() => localTime(openedAt + 60_000));
  const replay = useAction('POST /api/v1/webhooks/{id}/replay', {
    quiet: true,
    done: ({ data }) => queuedWords(data.queued),
    onDone: onClose,
  });
  const input = { params: { id }, body: { from: isoOf(from), to: isoOf(to) } };
  const faults = faultsByField(replay.error);
  return (
    <Modal opened onClose={onClose} title={`Replay to ${visible(name)}`} centered>
      <Stack>
        <Text size="sm">
          Every message of this time is sent again, also what was delivered, with the same webhook-id as the first time: a receiver that
          looks at it takes nothing twice.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            type="datetime-local"
            label="From"
            value={from}
            error={faults.get('from')}
            onChange={({ currentTarget }) => setFrom(currentTarget.value)}
          />
          <TextInput
            type="datetime-local"
            label="To"
            value={to}
            error={faults.get('to')}
            onChange={({ currentTarget }) => setTo(currentTarget.value)}
          />
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          In the time of this browser.
        </Text>
        {replay.error && <ErrorState error={replay.error} title="Nothing was sent again" />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button loading={replay.isPending} disabled={from === '' || to === ''} onClick={() => replay.mutate(input)}>
            Replay
          </Button>
          <CurlButton operation="POST /api/v1/webhooks/{id}/replay" input={input} />
        </Group>
      </Stack>
    </Modal>
  );
}

/** A moment as a field for local times has it: `2026-11-01T09:30`. */
function localTime(time: number): string {
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The moment that a local time is; what is none yet is passed on as it is. */
function isoOf(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
}

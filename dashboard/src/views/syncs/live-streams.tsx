import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Run, Stream, Sync } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { Section } from '../../parts/page/section.tsx';
import { ProgressBar } from '../../parts/status/progress-bar.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { formatCount, formatPart, formatRate, formatRows } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { ScopedButton } from '../../parts/action/scoped-button.tsx';
import { changeWords } from '../runs/run-words.ts';
import { useShopScopes } from './shop-scopes.ts';

const MOST = 50;
/** What needs a person first, then what goes on, then what is well. */
const ORDER = ['stopped', 'loading', 'live'];

interface LiveStreamsProps {
  sync: Sync;
  run: Run;
  isFollowed: boolean;
}

/** Each stream: whether it is loaded, follows, or has stopped, and what to do then. */
export function LiveStreams({ sync, run, isFollowed }: LiveStreamsProps) {
  const [all, setAll] = useState(false);
  const sorted = run.streams.toSorted((a, b) => ORDER.indexOf(a.live ?? 'live') - ORDER.indexOf(b.live ?? 'live'));
  const shown = all ? sorted : sorted.slice(0, MOST);
  return (
    <Section
      title="Streams"
      about={
        <>
          What was done by{' '}
          <Anchor component={Link} href={`/runs/${run.id}`} size="sm">
            {isFollowed ? 'the current run' : 'the last run'}
          </Anchor>
          {run.started_at !== null && (
            <>
              , which began <RelativeTime time={run.started_at} />
            </>
          )}
          . Each hour another one goes on without a pause.
        </>
      }
    >
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
        {shown.map((stream) => (
          <LiveStream key={stream.target} stream={stream} sync={sync} isFollowed={isFollowed} />
        ))}
      </Stack>
      {shown.length < sorted.length && (
        <Box mt="md">
          <ScopedButton scope="datasync:read" onClick={() => setAll(true)}>
            {`Show all ${formatCount(sorted.length)} streams`}
          </ScopedButton>
        </Box>
      )}
    </Section>
  );
}

function LiveStream({ stream, sync, isFollowed }: { stream: Stream; sync: Sync; isFollowed: boolean }) {
  const { name, target, live = 'loading', error } = stream;
  const state = isFollowed || live === 'stopped' ? live : 'waiting';
  return (
    <Box component="li">
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" fw={500}>
          <OutsideText>{name}</OutsideText>
          {target !== name && (
            <Text span inherit fw={400} c="dimmed">
              {' → '}
              <OutsideText>{target}</OutsideText>
            </Text>
          )}
        </Text>
        <StatusBadge status={state} />
      </Group>
      {state === 'loading' ? (
        <Loading stream={stream} />
      ) : (
        <Text size="xs" c="dimmed" className="number">
          {changeWords(stream) || 'No change yet'}
        </Text>
      )}
      {live === 'stopped' && <Stopped name={name} error={error} sync={sync} />}
    </Box>
  );
}

function Loading({ stream: { name, read, estimated_total, rows_per_second } }: { stream: Stream }) {
  const expected = estimated_total ?? 0;
  // What there is was estimated: a stream that has read more is not over for that.
  const part = expected > 0 ? Math.min(read / expected, 0.99) : undefined;
  const about = expected > read ? `${formatCount(read)} of about ${formatRows(expected)} loaded` : `${formatRows(read)} loaded`;
  return (
    <Box mt={4}>
      <ProgressBar part={part} of={name} words={about} size="sm" moving />
      <Group justify="space-between" gap="xs" mt={4}>
        <Text size="xs" c="dimmed" className="number">
          {[about, rows_per_second > 0 ? formatRate(rows_per_second) : ''].filter((word) => word !== '').join(' · ')}. Changes of the
          meantime are kept, and follow.
        </Text>
        {part !== undefined && (
          <Text size="xs" c="dimmed" className="number">
            {formatPart(part)}
          </Text>
        )}
      </Group>
    </Box>
  );
}

/** Why a stream has stopped, and the way on. The others go on meanwhile. */
function Stopped({ name, error, sync }: { name: string; error: Stream['error']; sync: Sync }) {
  const { move } = useShopScopes(sync);
  return (
    <Stack gap={4} mt={4} align="flex-start">
      <Text size="sm" c="var(--status-bad)">
        <OutsideText>{error?.message ?? 'It has stopped.'}</OutsideText>
      </Text>
      <Text size="sm">
        <strong>What to do: </strong>
        {error?.hint != null && <OutsideText>{`${error.hint} `}</OutsideText>}
        Then load the stream anew: it is compared with the target and follows from there. The other streams go on all the while.
      </Text>
      <ActionButton
        operation="POST /api/v1/datasync/sync/{id}/reset"
        input={{ params: { id: sync.id }, body: { streams: [name] } }}
        scope={move}
        done="The stream is loaded anew."
        look={{ size: 'xs' }}
        confirm={{
          title: 'Load this stream anew?',
          about: 'All of its rows are read again, which may take long. Other streams are not touched.',
        }}
      >
        Load it anew
      </ActionButton>
    </Stack>
  );
}

import { Button, Group, List, Radio, Stack, Text } from '@mantine/core';
import { useApi } from '../../../api/queries.ts';
import type { Connector, Source } from '../../../api/resources.ts';
import { CheckIcon } from '../../../parts/icons.tsx';
import { Note } from '../../../parts/status/note.tsx';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { OutsideText } from '../../../parts/words/outside-text.tsx';
import { useConnectors } from '../../sources/connectors.ts';
import type { SyncDraft } from './draft.ts';

interface LivePartProps {
  draft: SyncDraft;
  source: Source | undefined;
  target: Source | undefined;
  onChange: (part: Partial<SyncDraft>) => void;
}

/** Whether it runs from time to time or follows every change. It is asked only where both ends can be live. */
export function LivePart({ draft, source, target, onChange }: LivePartProps) {
  const { byType } = useConnectors();
  const [from, into] = [byType.get(source?.type ?? ''), byType.get(target?.type ?? '')];
  const fault = from && into ? faultOf(from, into) : undefined;
  const canBeLive = from !== undefined && into !== undefined && fault === undefined;
  if (!draft.live && !canBeLive) return null;
  return (
    <Section title="How changes arrive">
      <Radio.Group
        aria-label="How changes arrive"
        value={draft.live ? 'live' : 'runs'}
        error={draft.live ? fault : undefined}
        onChange={(value) => onChange({ live: value === 'live' })}
      >
        <Stack gap="sm">
          <Radio
            value="runs"
            label="In runs"
            description="The source is read by its schedule, or when you start a run. It needs no more than the right to read."
          />
          <Radio
            value="live"
            label="Live"
            description="Every committed change, deletions included, is at the target within a moment. The tables are loaded once, then the log of the source is followed."
          />
        </Stack>
      </Radio.Group>
      {draft.live && fault === undefined && source && <Needs source={source} />}
    </Section>
  );
}

/** Whether the source is prepared, as it says itself. */
function Needs({ source: { id, name } }: { source: Source }) {
  const { data, error, refetch, isFetching } = useApi('POST /api/v1/datasync/sources/{id}/check', { params: { id } });
  if (error) return <ErrorState error={error} title="It cannot be told whether the source is prepared" retry={refetch} />;
  if (!data)
    return (
      <Text size="sm" c="dimmed" mt="sm" role="status">
        Asking the source whether its changes can be followed…
      </Text>
    );
  const { ok, message, live_needs: needs } = data.data;
  if (ok && needs?.length === 0)
    return (
      <Text size="sm" mt="sm" role="status">
        <CheckIcon size={14} /> <OutsideText>{name}</OutsideText> is prepared: its changes can be followed.
      </Text>
    );
  return (
    <Note tone="warning" mt="sm" title={ok ? 'The source has to be prepared first' : 'The source cannot be asked at this moment'}>
      <List size="sm">
        {(ok ? (needs ?? []) : [message]).map((need) => (
          <List.Item key={need}>
            <OutsideText>{need}</OutsideText>
          </List.Item>
        ))}
      </List>
      <Group mt="xs" gap="xs">
        <Button size="xs" variant="default" loading={isFetching} onClick={() => void refetch()}>
          Look again
        </Button>
        <Text size="sm" c="dimmed">
          You can save it all the same. Its runs fail, and say so, until the source is prepared.
        </Text>
      </Group>
    </Note>
  );
}

function faultOf(from: Connector, into: Connector): string | undefined {
  if (!from.abilities.log) return `${from.title} has no log that can be followed: choose another source, or runs.`;
  return into.abilities.applies ? undefined : `${into.title} cannot be written to live: choose another target, or runs.`;
}

import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Run, Stream, Sync } from '../../../api/resources.ts';
import { ActionButton } from '../../../parts/action/action-button.tsx';
import { OutsideText, visible } from '../../../parts/words/outside-text.tsx';
import { useMay } from '../../../shell/me.tsx';
import { useShopScopes } from '../shop-scopes.ts';
import { type Mend, mendsOf } from './mends.ts';
import { useRenamed } from './use-renamed.ts';

const MOST = 5;
/** A long name needs more than one line on a phone. */
const WRAPPED = {
  root: { height: 'auto', maxWidth: '100%', paddingBlock: 6 },
  label: { whiteSpace: 'normal', overflowWrap: 'anywhere' },
} as const;

/** Whether there is anything to offer: what leads to the place that is to blame, not only to the whole. */
export function hasMends(run: Run, sync: Sync | undefined): boolean {
  return sync !== undefined && run.streams.some((stream) => mendsOf(stream, sync).length > 0);
}

interface MendButtonsProps {
  run: Run;
  sync: Sync;
  /** The reason of each stream, where it is not said elsewhere. */
  reasonOf?: (stream: Stream) => string;
}

/** What helps with each stream that has failed, as buttons that lead to the place where it is mended. */
export function MendButtons({ run, sync, reasonOf = () => '' }: MendButtonsProps) {
  const found = run.streams.map((stream) => ({ ...stream, reason: reasonOf(stream), mends: mendsOf(stream, sync) }));
  const failed = found.filter(({ mends }) => mends.length > 0);
  return (
    <Stack gap="xs" role="group" aria-label="What helps">
      {failed.slice(0, MOST).map(({ name, target, reason, mends }) => (
        <Group gap="xs" key={target}>
          {(failed.length > 1 || reason !== '') && (
            <Text size="sm" {...(reason !== '' && { w: '100%' })}>
              <Text span inherit fw={500}>
                <OutsideText>{name}</OutsideText>
              </Text>
              {reason !== '' && (
                <>
                  : <OutsideText>{reason}</OutsideText>
                </>
              )}
            </Text>
          )}
          {mends.map((mend) => (
            <MendButton key={mend.does + ('label' in mend ? mend.label : '')} mend={mend} sync={sync} />
          ))}
        </Group>
      ))}
    </Stack>
  );
}

function MendButton({ mend, sync }: { mend: Mend; sync: Sync }) {
  const { move } = useShopScopes(sync);
  const mayChange = move.every(useMay());
  if (mend.does === 'load') {
    return (
      <ActionButton
        operation="POST /api/v1/datasync/sync/{id}/runs"
        input={{ params: { id: sync.id }, body: { mode: 'full', streams: [mend.stream] } }}
        scope={move}
        done="It is loaded anew."
        look={{ size: 'xs' }}
      >
        {mend.label}
      </ActionButton>
    );
  }
  if (mend.does === 'find') return mayChange ? <RenamedButton place={mend.place} href={mend.href} sync={sync} /> : null;
  if (mend.changes && !mayChange) return null;
  return (
    <Button component={Link} href={mend.href} size="xs" variant="default" styles={WRAPPED}>
      {mend.label}
    </Button>
  );
}

/** What is gone may have got another name, or be there again. */
function RenamedButton({ place, href, sync }: { place: number; href: string; sync: Sync }) {
  const gone = sync.streams[place] ?? { source: '' };
  const { isBack, name } = useRenamed({ sourceId: sync.source_id, targetId: sync.target_id, streams: sync.streams }, gone);
  if (isBack) {
    return (
      <Text size="sm" role="status">
        It is there again: run it again.
      </Text>
    );
  }
  if (name === undefined) return null;
  return (
    <Button component={Link} href={href} size="xs" styles={WRAPPED}>
      It is called &quot;{visible(name)}&quot; now: use it
    </Button>
  );
}

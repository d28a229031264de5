import { Button, Divider, Group, Stack, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { Sync } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { isLive } from './live-words.ts';
import { useShopScopes } from './shop-scopes.ts';
import { whyNoRun } from './run-button.tsx';
import { useGoOn } from '../../parts/page/use-go-on.ts';

/** What one does seldom, each with what it means. */
export function ManagePanel({ sync, onVerify }: { sync: Sync; onVerify: () => void }) {
  const goOn = useGoOn();
  const { move } = useShopScopes(sync);
  const input = { params: { id: sync.id } };
  const live = isLive(sync);
  const underWay = live || sync.current_run === null ? undefined : whyNoRun(sync);
  const entries: [string, ReactNode][] = [
    [
      'Reads everything again and brings the target up to date. Use it to fill new fields for rows that are there already.',
      <ActionButton
        key="full"
        operation="POST /api/v1/datasync/sync/{id}/runs"
        input={{ ...input, body: { mode: 'full' } }}
        scope={move}
        unavailable={live ? (sync.status === 'paused' ? 'It is paused: resume it first.' : undefined) : whyNoRun(sync)}
        done={live ? 'Its streams are loaded anew.' : 'The run is queued. It reads everything.'}
      >
        Full refresh
      </ActionButton>,
    ],
    [
      'Compares both ends and says where they differ, without changing anything.',
      <Button key="verify" variant="default" size="sm" onClick={onVerify}>
        Verify
      </Button>,
    ],
    [
      live
        ? 'Forgets the positions of its streams, so that all of them are loaded anew, at once or when it is resumed. Nothing is deleted at the target.'
        : 'Forgets the positions of its streams, so that the next run reads everything. Nothing is deleted at the target.',
      <ActionButton
        key="reset"
        operation="POST /api/v1/datasync/sync/{id}/reset"
        input={input}
        scope={move}
        unavailable={underWay}
        done={live ? 'Reset: its streams are loaded anew.' : 'Reset: the next run reads everything.'}
        confirm={{
          title: 'Reset this synchronization?',
          about: live
            ? 'All of its streams are loaded again, which may take long. No data is deleted.'
            : 'The next run reads everything again, which may take long. No data is deleted.',
        }}
      >
        Reset
      </ActionButton>,
    ],
    [
      live
        ? 'Deletes the synchronization with its runs and rejected rows, and lets the source forget the log that it keeps for it. The data at the target stays.'
        : 'Deletes the synchronization with its runs and rejected rows. The data at the target stays.',
      <ActionButton
        key="delete"
        operation="DELETE /api/v1/datasync/sync/{id}"
        input={input}
        scope="datasync:write"
        unavailable={!live && sync.current_run?.status === 'running' ? 'A run is in progress: cancel it first.' : undefined}
        done={`Deleted "${visible(sync.name)}".`}
        onDone={() => goOn('/syncs', { replace: true })}
        look={{ color: 'red' }}
        confirm={{
          title: 'Delete this synchronization?',
          about: 'Its runs and rejected rows are gone. The data at the target stays.',
        }}
      >
        Delete
      </ActionButton>,
    ],
  ];
  return (
    <Section title="Manage">
      <Stack gap="sm">
        {entries.map(([about, button], place) => (
          <Fragment key={about}>
            {place > 0 && <Divider />}
            <Group justify="space-between" gap="sm">
              <Text size="sm" style={{ flex: '1 1 30ch' }}>
                {about}
              </Text>
              {button}
            </Group>
          </Fragment>
        ))}
      </Stack>
    </Section>
  );
}

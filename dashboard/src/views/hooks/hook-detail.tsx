import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Hook } from '../../api/resources.ts';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { LISTS } from '../../lists.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { RotateDialog } from '../../parts/action/rotate-dialog.tsx';
import { ScopedButton } from '../../parts/action/scoped-button.tsx';
import { Note } from '../../parts/status/note.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { formatCount, formatMoment, plural } from '../../parts/words/format.ts';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { sentence } from '../../parts/words/sentence.ts';
import { useMay } from '../../shell/me.tsx';
import { HookAddress, type MadeHook } from './hook-address.tsx';
import { HookCalls, LOOK_AGAIN } from './hook-calls.tsx';
import { SCHEMES, schemeTitle } from './schemes.ts';
import { SetUpSteps } from './set-up-steps.tsx';
import { useGoOn } from '../../parts/page/use-go-on.ts';

/** One hook: who calls, what a call starts, the last calls, and what was refused. */
export function HookDetail() {
  const { id = '' } = useParams();
  const hook = useApi('GET /api/v1/datasync/hooks/{id}', { params: { id } }, { every: LOOK_AGAIN });
  return (
    <LoadedPage query={hook} list={LISTS.hooks}>
      {({ data }) => <Detail key={data.id} hook={data} />}
    </LoadedPage>
  );
}

function Detail({ hook }: { hook: Hook }) {
  return (
    <>
      <PageHeader
        title={hook.name}
        about={`${schemeTitle(hook.scheme)}. ${SCHEMES[hook.scheme].about}`}
        parent={LISTS.hooks}
        actions={<Actions hook={hook} />}
      />
      <Stack gap="md">
        {hook.refused_at !== null && (
          <Note tone="warning" title={`${plural(hook.refused, 'call')} refused`}>
            <Text size="sm">
              Last <RelativeTime time={hook.refused_at} />
              {hook.refused_reason !== null && (
                <>
                  : <OutsideText>{sentence(hook.refused_reason)}</OutsideText>
                </>
              )}{' '}
              What is refused is not kept. If it was your sender, compare the secret there with the one that is stored here.
            </Text>
          </Note>
        )}
        <Section title="What it does">
          <About hook={hook} />
        </Section>
        <HookCalls hook={hook} />
        <Section title="At the sender" about="The address was shown when the hook was made. If it is lost, rotate it.">
          <SetUpSteps scheme={hook.scheme} />
        </Section>
      </Stack>
    </>
  );
}

function About({ hook: { id, sync_id, calls, last_call_at, created_at, updated_at } }: { hook: Hook }) {
  const { nameOf } = useSyncNames();
  return (
    <Facts
      facts={[
        [
          'A call starts',
          sync_id === null ? (
            'no synchronization; a source of the type Hook reads the calls as rows'
          ) : (
            <Anchor key="sync" component={Link} href={`/syncs/${sync_id}`} size="sm">
              <OutsideText>{nameOf(sync_id)}</OutsideText>
            </Anchor>
          ),
        ],
        ['Calls', formatCount(calls)],
        ['Last call', last_call_at === null ? 'never' : <RelativeTime key="last" time={last_call_at} />],
        ['Id', id],
        ['Created', formatMoment(created_at)],
        ['Updated', formatMoment(updated_at)],
      ]}
    />
  );
}

function Actions({ hook: { id, name } }: { hook: Hook }) {
  const may = useMay();
  const goOn = useGoOn();
  const [rotating, setRotating] = useState(false);
  const [made, setMade] = useState<MadeHook>();
  return (
    <>
      {may('datasync:write') && (
        <Button component={Link} href={`/hooks/${id}/edit`} variant="default">
          Edit
        </Button>
      )}
      <ScopedButton scope="datasync:write" onClick={() => setRotating(true)}>
        Rotate
      </ScopedButton>
      <ActionButton
        operation="DELETE /api/v1/datasync/hooks/{id}"
        input={{ params: { id } }}
        scope="datasync:write"
        done={`Deleted "${visible(name)}".`}
        onDone={() => goOn('/hooks', { replace: true })}
        look={{ color: 'red' }}
        confirm={{
          title: `Delete the hook ${visible(name)}?`,
          about: 'Its address is refused from then on, and the calls that are kept are gone. This cannot be undone.',
        }}
      >
        Delete
      </ActionButton>
      {rotating && (
        <RotateDialog
          operation="POST /api/v1/datasync/hooks/{id}/rotate"
          id={id}
          title={`Rotate the address of ${visible(name)}`}
          about="It gets a new address, which you see once. The secret of the sender stays."
          label="The old address is taken for"
          failed="The address was not rotated"
          onClose={() => setRotating(false)}
          onRotated={({ data }) => setMade(data)}
        />
      )}
      {made && <HookAddress made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

import { Anchor, Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../api/client.ts';
import { useAction } from '../../api/queries.ts';
import type { CheckResult, Connector, Source } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { faultsByField, incomplete } from '../../parts/form/faults.ts';
import { useFirstFault } from '../../parts/form/first-fault.ts';
import { useDraft } from '../../parts/form/kept-draft.ts';
import { notifyDone } from '../../parts/action/notify.ts';
import { visible } from '../../parts/words/outside-text.tsx';
import { RestoredNote } from '../../parts/form/restored-note.tsx';
import { Section } from '../../parts/page/section.tsx';
import { KEPT_WORDS, useUnsaved } from '../../parts/form/unsaved.tsx';
import { CheckOutcome } from './check-outcome.tsx';
import { ConfigForm } from './config-form/config-form.tsx';
import { configPlace } from './config-form/config-place.ts';
import { missingMembers } from './config-form/missing.ts';
import type { ConfigObject } from './config-form/schema.ts';
import { OutlineNote } from './outline-note.tsx';
import { useOutline } from './use-outline.ts';
import { withoutSecrets } from './config-form/without-secrets.ts';
import { useGoOn } from '../../parts/page/use-go-on.ts';

interface SourceFormProps {
  connector: Connector;
  /** The source that is changed; a new one without. */
  source?: Source;
  /** Within another form: who gets the source that is added, and what Cancel does. That form asks before it is left. */
  within?: { onSaved: (source: Source) => void; onCancel: () => void };
}

interface Entered {
  name: string;
  config: ConfigObject;
}

const SECRETS_WORDS = 'Secrets are not kept: enter them again.';

/** The form of a source: its name and what its connector needs, to be tried before it is saved. */
export function SourceForm({ connector, source, within }: SourceFormProps) {
  const goOn = useGoOn();
  const { type } = connector;
  const stored: Entered = { name: source?.name ?? '', config: source?.config ?? {} };
  const kept = useDraft<Entered>({
    initial: stored,
    part: within ? ` source ${type}` : '',
    safe: (entered) => ({ name: entered.name, config: withoutSecrets(schema, entered.config, stored.config) }),
  });
  const { name, config } = kept.value;
  const { schema, outline, faults: outlineFaults } = useOutline(connector, config, source);
  const unsaved = useUnsaved(kept.isDirty && !within, `${KEPT_WORDS} ${SECRETS_WORDS}`);
  const [found, setFound] = useState<CheckResult>();
  // What was wanted of a form that is not complete, and how often.
  const [wanted, setWanted] = useState({ what: 'save', tries: 0 });

  const trial = useAction('POST /api/v1/datasync/sources/check', { quiet: true, onDone: ({ data }) => setFound(data) });
  const saved = ({ data }: { data: Source }): void => {
    kept.forget();
    if (!within) unsaved.release();
    notifyDone(`Saved "${visible(data.name)}".`);
    // The stream of changes tells this page what is found; when it cannot be tried, it stays "unchecked".
    if (data.status === 'unchecked') call('POST /api/v1/datasync/sources/{id}/check', { params: { id: data.id } }).catch(() => undefined);
    if (within) within.onSaved(data);
    else goOn(`/sources/${data.id}`);
  };
  const addition = useAction('POST /api/v1/datasync/sources', { quiet: true, onDone: saved });
  const change = useAction('PUT /api/v1/datasync/sources/{id}', { quiet: true, onDone: saved });
  const saving = source ? change : addition;

  const question = { body: { type, config, ...(source && { id: source.id }) } };
  const creation = { body: { name: name.trim(), type, config } };
  // What was not touched is not sent: then the source keeps what was found of it.
  const isSame = JSON.stringify(config) === JSON.stringify(kept.base.config);
  const update = source && {
    params: { id: source.id },
    body: { ...(name.trim() !== kept.base.name && { name: name.trim() }), ...(!isSame && { config }) },
  };

  const missingFor = (what: string): string[] => [
    ...(what === 'save' && name.trim() === '' ? ['name'] : []),
    ...missingMembers(schema, config),
  ];
  /** Goes on when nothing is missing; else what is missing is marked. */
  const complete = (what: 'save' | 'try', go: () => void): void => {
    for (const action of [saving, trial]) action.reset();
    setFound(undefined);
    const isComplete = missingFor(what).length === 0;
    setWanted({ what, tries: isComplete ? 0 : wanted.tries + 1 });
    if (isComplete) go();
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    complete('save', () => (update ? change.mutate(update) : addition.mutate(creation)));
  };
  const failure = saving.error ?? trial.error ?? (wanted.tries > 0 ? incomplete(missingFor(wanted.what)) : null);
  const faults = new Map([...outlineFaults, ...faultsByField(failure)]);
  if (found?.error?.field != null) faults.set(found.error.field, found.message);
  const form = useFirstFault<HTMLFormElement>(saving.error ?? trial.error ?? found?.error?.field ?? wanted.tries);
  const isUnsaved = saving.error !== null || (trial.error === null && wanted.what === 'save');

  return (
    <form onSubmit={save} noValidate ref={form}>
      <RestoredNote draft={kept} more={SECRETS_WORDS} />
      <Section title={connector.title} about={connector.description}>
        <Stack gap="md" maw={720}>
          <TextInput
            label="Name"
            description="What people call it."
            withAsterisk
            maxLength={100}
            value={name}
            error={faults.get('name')}
            onChange={({ currentTarget }) => kept.set({ name: currentTarget.value, config })}
          />
          <ConfigForm
            schema={schema}
            value={config}
            faults={faults}
            onChange={(changed) => {
              kept.set({ name, config: changed });
              // What was found is about what was entered before.
              setFound(undefined);
            }}
          />
          {outline && <OutlineNote outline={outline} />}
          {found && <CheckOutcome result={found} />}
          {failure && (
            <ErrorState
              error={failure}
              title={isUnsaved ? 'It was not saved' : 'It cannot be tested yet'}
              place={(path) => configPlace(path, schema)}
            />
          )}
          <Group gap="xs">
            <Button type="submit" loading={saving.isPending}>
              Save
            </Button>
            {update ? (
              <CurlButton operation="PUT /api/v1/datasync/sources/{id}" input={update} />
            ) : (
              <CurlButton operation="POST /api/v1/datasync/sources" input={creation} />
            )}
            <Button variant="default" loading={trial.isPending} onClick={() => complete('try', () => trial.mutate(question))}>
              Test the connection
            </Button>
            <CurlButton operation="POST /api/v1/datasync/sources/check" input={question} />
            {within ? (
              <Anchor component="button" type="button" size="sm" onClick={within.onCancel}>
                Cancel
              </Anchor>
            ) : (
              <Anchor component={Link} href={source ? `/sources/${source.id}` : '/sources'} size="sm">
                Cancel
              </Anchor>
            )}
          </Group>
        </Stack>
      </Section>
      {unsaved.question}
    </form>
  );
}

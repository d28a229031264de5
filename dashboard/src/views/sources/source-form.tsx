import { Anchor, Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call } from '../../api/client.ts';
import { useAction } from '../../api/queries.ts';
import type { CheckResult, Connector, Source } from '../../api/resources.ts';
import { CurlButton } from '../../parts/curl-button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { faultsByField } from '../../parts/faults.ts';
import { notifyDone } from '../../parts/notify.ts';
import { visible } from '../../parts/outside-text.tsx';
import { Section } from '../../parts/section.tsx';
import { CheckOutcome } from './check-outcome.tsx';
import { ConfigForm } from './config-form/config-form.tsx';
import type { ConfigObject } from './config-form/schema.ts';

interface SourceFormProps {
  connector: Connector;
  /** The source that is changed; a new one without. */
  source?: Source;
}

/** The form of a source: its name and what its connector needs, to be tried before it is saved. */
export function SourceForm({ connector, source }: SourceFormProps) {
  const [, navigate] = useLocation();
  const [name, setName] = useState(source?.name ?? '');
  const [config, setConfig] = useState<ConfigObject>(source?.config ?? {});
  const [found, setFound] = useState<CheckResult>();
  const { type } = connector;

  const trial = useAction('POST /api/v1/datasync/sources/check', { quiet: true, onDone: ({ data }) => setFound(data) });
  const saved = ({ data }: { data: Source }): void => {
    notifyDone(`Saved "${visible(data.name)}".`);
    // The stream of changes tells this page what is found; when it cannot be tried, it stays "unchecked".
    if (data.status === 'unchecked') call('POST /api/v1/datasync/sources/{id}/check', { params: { id: data.id } }).catch(() => undefined);
    navigate(`/sources/${data.id}`);
  };
  const addition = useAction('POST /api/v1/datasync/sources', { quiet: true, onDone: saved });
  const change = useAction('PUT /api/v1/datasync/sources/{id}', { quiet: true, onDone: saved });
  const saving = source ? change : addition;

  const question = { body: { type, config, ...(source && { id: source.id }) } };
  const creation = { body: { name: name.trim(), type, config } };
  // What was not touched is not sent: then the source keeps what was found of it.
  const isSame = source !== undefined && JSON.stringify(config) === JSON.stringify(source.config);
  const update = source && { params: { id: source.id }, body: { name: name.trim(), ...(!isSame && { config }) } };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (update) change.mutate(update);
    else addition.mutate(creation);
  };
  const faults = new Map([...faultsByField(saving.error), ...faultsByField(trial.error)]);
  if (found?.error?.field != null) faults.set(found.error.field, found.message);
  const failure = saving.error ?? trial.error;

  return (
    <form onSubmit={save} noValidate>
      <Section title={connector.title} about={connector.description}>
        <Stack gap="md" maw={720}>
          <TextInput
            label="Name"
            description="What people call it."
            withAsterisk
            maxLength={100}
            value={name}
            error={faults.get('name')}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <ConfigForm
            schema={connector.config}
            value={config}
            faults={faults}
            onChange={(changed) => {
              setConfig(changed);
              // What was found is about what was entered before.
              setFound(undefined);
            }}
          />
          {found && <CheckOutcome result={found} />}
          {failure && <ErrorState error={failure} title={saving.error ? 'It was not saved' : 'It cannot be tried yet'} />}
          <Group gap="xs">
            <Button type="submit" loading={saving.isPending}>
              Save
            </Button>
            {update ? (
              <CurlButton operation="PUT /api/v1/datasync/sources/{id}" input={update} />
            ) : (
              <CurlButton operation="POST /api/v1/datasync/sources" input={creation} />
            )}
            <Button
              variant="default"
              loading={trial.isPending}
              onClick={() => {
                saving.reset();
                setFound(undefined);
                trial.mutate(question);
              }}
            >
              Test the connection
            </Button>
            <CurlButton operation="POST /api/v1/datasync/sources/check" input={question} />
            <Anchor component={Link} href={source ? `/sources/${source.id}` : '/sources'} size="sm">
              Cancel
            </Anchor>
          </Group>
        </Stack>
      </Section>
    </form>
  );
}

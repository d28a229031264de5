import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Input, OperationName } from '../../../api/client.ts';
import type { ApiError } from '../../../api/errors.ts';
import type { Source } from '../../../api/resources.ts';
import { CurlButton } from '../../../parts/curl-button.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { faultsByField } from '../../../parts/faults.ts';
import type { Draft } from './draft.ts';
import { EndsPart } from './ends-part.tsx';
import { SafetyPart } from './safety-part.tsx';
import { SchedulePart } from './schedule-part.tsx';
import { StreamsPart } from './streams-part.tsx';

interface BuilderProps<Name extends OperationName> {
  draft: Draft;
  onChange: (draft: Draft) => void;
  sources: readonly Source[] | undefined;
  error: ApiError | null;
  isSaving: boolean;
  operation: Name;
  input: Input<Name>;
  onSave: () => void;
  onSaveAndRun?: () => void;
  /** Where one goes without saving. */
  back: string;
}

/** Everything that a synchronization is, on one page: from where to where, what, when, and what when something is odd. */
export function Builder<Name extends OperationName>(props: BuilderProps<Name>) {
  const { draft, onChange, sources, error, isSaving, operation, input, onSave, onSaveAndRun, back } = props;
  const change = (part: Partial<Draft>): void => onChange({ ...draft, ...part });
  const source = sources?.find(({ id }) => id === draft.sourceId);
  const faults = faultsByField(error);
  const isReady = draft.sourceId !== '' && draft.targetId !== '' && draft.streams.length > 0;
  return (
    <Stack gap="md">
      <EndsPart draft={draft} sources={sources} faults={faults} onChange={change} />
      <StreamsPart draft={draft} source={source} faults={faults} onChange={(streams) => change({ streams })} />
      <SchedulePart draft={draft} source={source} faults={faults} onChange={(schedule) => change({ schedule })} />
      <SafetyPart draft={draft} onChange={change} />
      {error && <ErrorState error={error} title="It was not saved" />}
      {!isReady && (
        <Text size="sm" c="dimmed">
          Choose a source, a target and what to read: then it can be saved.
        </Text>
      )}
      <Group gap="xs">
        {onSaveAndRun && (
          <Button onClick={onSaveAndRun} disabled={!isReady} loading={isSaving}>
            Save and run
          </Button>
        )}
        <Button variant={onSaveAndRun ? 'default' : 'filled'} onClick={onSave} disabled={!isReady} loading={isSaving}>
          Save
        </Button>
        <CurlButton operation={operation} input={input} />
        <Anchor component={Link} href={back} size="sm">
          Cancel
        </Anchor>
      </Group>
    </Stack>
  );
}

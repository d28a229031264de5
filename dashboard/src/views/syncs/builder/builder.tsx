import { Anchor, Button, Group, Stack } from '@mantine/core';
import { type Dispatch, memo, type SetStateAction, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Input, OperationName } from '../../../api/client.ts';
import type { Source } from '../../../api/resources.ts';
import { CurlButton } from '../../../parts/action/curl-button.tsx';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { faultsByField } from '../../../parts/form/faults.ts';
import { useFirstFault } from '../../../parts/form/first-fault.ts';
import type { StreamDraft, SyncDraft } from './draft.ts';
import { EndsPart } from './ends-part.tsx';
import { type Finding, missingIn, placeIn } from './findings.ts';
import { LivePart } from './live-part.tsx';
import { SafetyPart } from './safety-part.tsx';
import { SchedulePart } from './schedule-part.tsx';
import { SharedTables } from './shared-tables.tsx';
import { StreamsPart } from './streams-part.tsx';

/** Whether only the streams differ: hundreds of them are ticked one after the other, and the other parts have nothing to do with them. */
function differsInStreamsAlone<Props extends { draft: SyncDraft }>(
  { draft: one, ...before }: Props,
  { draft: other, ...after }: Props,
): boolean {
  const isSame = (a: object, b: object): boolean => Object.entries(a).every(([name, value]) => Object.is(value, b[name as keyof typeof b]));
  return isSame(before, after) && isSame({ ...one, streams: other.streams }, other) && isSame({ ...other, streams: one.streams }, one);
}

const Ends = memo(EndsPart, differsInStreamsAlone);
const Live = memo(LivePart, differsInStreamsAlone);
const Times = memo(SchedulePart, differsInStreamsAlone);
const Safety = memo(SafetyPart, differsInStreamsAlone);
const Curl = memo(CurlButton) as typeof CurlButton;

interface BuilderProps<Name extends OperationName> {
  draft: SyncDraft;
  onChange: Dispatch<SetStateAction<SyncDraft>>;
  sources: readonly Source[] | undefined;
  /** The synchronization that is changed; none for a new one. */
  self?: string;
  /** What was found when it was last saved. */
  refusal: Finding | undefined;
  /** What is wrong already with what is stored: something may be gone since. */
  known?: Finding | undefined;
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
  const { draft, onChange, sources, self, refusal, known, isSaving, operation, input, onSave, onSaveAndRun, back } = props;
  // Tries to save what is not complete.
  const [tries, setTries] = useState(0);
  const form = useFirstFault<HTMLDivElement>(refusal?.error ?? tries);
  const change = useCallback((part: Partial<SyncDraft>): void => onChange((old) => ({ ...old, ...part })), [onChange]);
  const changeStreams = useCallback(
    (streams: (old: readonly StreamDraft[]) => readonly StreamDraft[]): void =>
      onChange((old) => ({ ...old, streams: streams(old.streams) })),
    [onChange],
  );
  // It may be long, and nobody waits for it.
  const shownInput = useDeferredValue(input);
  const shownDraft = useDeferredValue(draft);
  const source = sources?.find(({ id }) => id === draft.sourceId);
  const missing = missingIn(draft);
  // The same for as long as it says the same: what is not concerned is not drawn again.
  const missed = tries > 0 ? JSON.stringify([...missing]) : '[]';
  const faults = useMemo(
    () => new Map([...faultsByField(refusal?.error ?? null), ...(JSON.parse(missed) as [string, string][])]),
    [refusal?.error, missed],
  );
  const saving = (save: () => void) => (): void => (missing.size > 0 ? setTries(tries + 1) : save());
  return (
    <Stack gap="md" ref={form}>
      <Ends draft={draft} sources={sources} faults={faults} onChange={change} />
      <Live draft={draft} source={source} target={sources?.find(({ id }) => id === draft.targetId)} onChange={change} />
      <StreamsPart draft={draft} source={source} fault={faults.get('streams')} refusal={refusal} known={known} onChange={changeStreams} />
      <SharedTables draft={shownDraft} self={self} />
      <Times draft={draft} source={source} self={self} faults={faults} onChange={change} />
      <Safety draft={draft} faults={faults} onChange={change} />
      {refusal && <ErrorState error={refusal.error} title="It was not saved" place={placeIn(refusal)} />}
      <Group gap="xs">
        {onSaveAndRun && (
          <Button onClick={saving(onSaveAndRun)} loading={isSaving}>
            {draft.live ? 'Save and go live' : 'Save and run'}
          </Button>
        )}
        {/* What is live begins by itself. */}
        {!(onSaveAndRun && draft.live) && (
          <Button variant={onSaveAndRun ? 'default' : 'filled'} onClick={saving(onSave)} loading={isSaving}>
            Save
          </Button>
        )}
        <Curl operation={operation} input={shownInput} />
        <Anchor component={Link} href={back} size="sm">
          Cancel
        </Anchor>
      </Group>
    </Stack>
  );
}

import { Modal, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { SearchIcon } from '../../parts/icons.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { plural } from '../../parts/words/format.ts';
import { type Entry, found } from './match.ts';
import { useAsked } from './use-asked.ts';
import { useKnown } from './use-known.ts';
import './palette.css';

/** So many of a group are shown. */
const MOST = 6;
/** Milliseconds without a letter, until the service is asked. */
const PAUSE = 200;

/** Finds whatever there is, goes there, and does what is done most often. */
export function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal.Root opened={opened} onClose={onClose} size="lg" yOffset="12vh" transitionProps={{ duration: 100 }}>
      <Modal.Overlay />
      <Modal.Content aria-label="Find and do" className="palette">
        <Modal.Body p={0}>{opened && <Finder onClose={onClose} />}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** What is known is gathered once, and not for each letter. */
function Finder({ onClose }: { onClose: () => void }) {
  return <Field known={useKnown()} onClose={onClose} />;
}

function Field({ known, onClose }: { known: readonly Entry[]; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  // A letter is seen at once; what it finds may come a moment later.
  const wanted = useDeferredValue(typed);
  const [settled] = useDebouncedValue(typed, PAUSE);
  const [, navigate] = useLocation();
  const asked = useAsked(settled);
  const fitting = useMemo(() => fittingOf(known, wanted), [known, wanted]);
  const shown = wanted.trim() === '' ? fitting : [...fitting, ...asked.entries];
  const [place, setPlace] = useState(0);
  const chosen = Math.min(place, shown.length - 1);
  const id = useId();
  const choose = (entry: Entry): void => {
    onClose();
    if (typeof entry.to === 'string') navigate(entry.to);
    else entry.to();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // Who types and presses Enter at once means what was typed.
    const entry = wanted === typed ? shown[chosen] : fittingOf(known, typed)[0];
    if (step !== undefined) setPlace((chosen + step + shown.length) % Math.max(1, shown.length));
    else if (event.key === 'Enter' && entry && !event.nativeEvent.isComposing) choose(entry);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        className="palette-input"
        leftSection={<SearchIcon />}
        placeholder="Find anything, or type run, pause, verify …"
        aria-label="Find anything, or do something"
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(shown.length > 0 && { 'aria-activedescendant': `${id}-${chosen}` })}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Results id={id} entries={shown} chosen={chosen} onPoint={setPlace} onChoose={choose} />
      <Text className="palette-foot" size="xs" c="dimmed" role="status">
        {asked.isAsking || settled !== typed
          ? 'Looking …'
          : shown.length === 0
            ? 'Nothing is called that. Orders are found by number, name, e-mail and product; runs by their id.'
            : `${plural(shown.length, 'result')} · ↑ ↓ to choose, Enter to go, Esc to close`}
      </Text>
    </>
  );
}

function fittingOf(known: readonly Entry[], typed: string): Entry[] {
  return typed.trim() === '' ? known.filter(({ group }) => group === 'Views') : found(known, typed, MOST);
}

interface ResultsProps {
  id: string;
  entries: readonly Entry[];
  chosen: number;
  onPoint: (place: number) => void;
  onChoose: (entry: Entry) => void;
}

function Results({ id, entries, chosen, onPoint, onChoose }: ResultsProps) {
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);
  const groups = Map.groupBy(
    entries.map((entry, place) => ({ entry, place })),
    ({ entry }) => entry.group,
  );
  return (
    <div className="palette-list" role="listbox" id={`${id}-list`} aria-label="Results">
      {[...groups].map(([group, ofGroup]) => (
        <div key={group} role="group" aria-label={group}>
          <Text size="xs" fw={600} c="dimmed" px="sm" pt="xs" aria-hidden="true">
            {group}
          </Text>
          {ofGroup.map(({ entry, place }) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are those of the field, which keeps the focus
            <div
              key={entry.id}
              id={`${id}-${place}`}
              role="option"
              aria-selected={place === chosen}
              tabIndex={-1}
              className="palette-option"
              onPointerMove={() => onPoint(place)}
              onClick={() => onChoose(entry)}
            >
              <Text span size="sm" truncate>
                <OutsideText>{entry.label}</OutsideText>
              </Text>
              {entry.note !== undefined && (
                <Text span size="xs" className="palette-note" truncate>
                  <OutsideText>{entry.note}</OutsideText>
                </Text>
              )}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

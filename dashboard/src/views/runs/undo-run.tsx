import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Data } from '../../api/client.ts';
import { useAction } from '../../api/queries.ts';
import type { Run, Sync } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { ScopedButton } from '../../parts/action/scoped-button.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { formatMoment, plural } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { isUnderWay } from '../../parts/status/status.tsx';
import { useShopScopes } from '../syncs/shop-scopes.ts';

const UNDO = 'POST /api/v1/datasync/runs/{id}/undo';

type Preview = NonNullable<Data<typeof UNDO>['preview']>;
type RowLeft = NonNullable<Run['undone']>['rows_left'][number];
type Row = Preview['streams'][number]['samples'][number]['before'];

const REASONS: Readonly<Record<string, string>> = {
  changed: 'was changed since',
  removed: 'was removed since',
  added: 'was added again since',
};
const CHANGES: Readonly<Record<string, string>> = { insert: 'Comes back', update: 'Gets its old values', delete: 'Is removed' };

/** Whether what the run has written may have been kept, so that it can be undone. */
function isUndoable(run: Run, sync: Sync | undefined): boolean {
  const { inserted, updated, deleted } = run.totals;
  return sync?.undo != null && !isUnderWay(run.status) && run.mode !== 'preview' && inserted + updated + deleted > 0;
}

/** Undoes a run after it was shown what that does, or tells what came of it. */
export function UndoRun({ run, sync }: { run: Run; sync: Sync | undefined }) {
  if (run.undone) return <Undone run={run} undone={run.undone} />;
  return isUndoable(run, sync) ? <UndoSection run={run} sync={sync} /> : null;
}

function Undone({ run, undone }: { run: Run; undone: NonNullable<Run['undone']> }) {
  return (
    <Section title="Undone">
      <Stack gap="sm" role="status">
        <Text size="sm">
          {countWords(undone, 'were')} It was asked for by <OutsideText>{undone.by}</OutsideText>, {formatMoment(undone.at)}. The
          synchronization was paused with it; once it is resumed, it reads the streams of this run from the start.
        </Text>
        <RowsLeft rows={undone.rows_left} left={undone.left} label={`Rows of ${run.id} that were left`} />
      </Stack>
    </Section>
  );
}

function UndoSection({ run, sync }: { run: Run; sync: Sync | undefined }) {
  const [opened, dialog] = useDisclosure(false);
  const { move } = useShopScopes(sync);
  const input = { params: { id: run.id }, body: { preview: true } };
  const shown = useAction(UNDO, { quiet: true });
  const undo = useAction(UNDO, { quiet: true, done: ({ data }) => data.message, onDone: dialog.close });
  const close = (): void => {
    dialog.close();
    shown.reset();
    undo.reset();
  };
  const open = (): void => {
    dialog.open();
    shown.mutate(input);
  };
  const preview = shown.data?.data.preview;
  const error = undo.error ?? shown.error;
  return (
    <Section title="Undo" about={`What runs replace is kept for ${sync?.undo?.keep}.`}>
      <Group gap={4} wrap="nowrap">
        <ScopedButton scope={move} onClick={open}>
          Undo this run
        </ScopedButton>
        <CurlButton operation={UNDO} input={input} />
      </Group>
      <Modal opened={opened} onClose={close} title="Undo this run?" size="xl" centered>
        <Stack>
          {error && <ErrorState error={error} title="It cannot be undone" />}
          {!preview && !error && (
            <Text size="sm" role="status">
              Looking at what would be restored…
            </Text>
          )}
          {preview && <UndoPreview preview={preview} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button
              color="red.9"
              disabled={!preview}
              loading={undo.isPending}
              onClick={() => undo.mutate({ params: { id: run.id }, body: { preview: false } })}
            >
              Undo and pause
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Section>
  );
}

interface Counts {
  restored: number;
  removed: number;
  left: number;
}

function countWords({ restored, removed, left }: Counts, verb: string): string {
  const others = left === 0 ? '' : `, and ${plural(left, 'row')} left as others have changed ${left === 1 ? 'it' : 'them'} since`;
  return `${plural(restored, 'row')} ${verb} restored, ${plural(removed, 'row')} removed${others}.`;
}

function UndoPreview({ preview }: { preview: Preview }) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        {countWords(preview, 'would be')} The synchronization is paused with it, as the next run would do the same again.
      </Text>
      {preview.streams.map(({ target, samples, rows_left, left, ...counts }) => (
        <Stack key={target} gap="xs">
          {preview.streams.length > 1 && (
            <Text size="sm" fw={500}>
              <OutsideText>{target}</OutsideText>: {countWords({ ...counts, left }, 'would be')}
            </Text>
          )}
          {samples.length > 0 && (
            <Table.ScrollContainer type="native" minWidth={480} mah={260}>
              <Table aria-label={`Some rows of ${target}`} fz="xs">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Row</Table.Th>
                    <Table.Th>Now</Table.Th>
                    <Table.Th>Then</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {samples.map(({ change, key, before, after }) => (
                    <Table.Tr key={`${change} ${valuesOf(key)}`}>
                      <Table.Td>
                        {CHANGES[change]}: <OutsideText>{valuesOf(key)}</OutsideText>
                      </Table.Td>
                      <Table.Td>{shownRow(before, after)}</Table.Td>
                      <Table.Td>{shownRow(after, before)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )}
          <RowsLeft rows={rows_left} left={left} label={`Rows of ${target} that would be left`} />
        </Stack>
      ))}
    </Stack>
  );
}

/** Values are told as text. */
function shownText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function valuesOf(row: Row): string {
  return Object.values(row ?? {})
    .map(shownText)
    .join(', ');
}

/** A row, or of two rows what differs. */
function shownRow(row: Row, other: Row) {
  if (row === null) return '–';
  const differs = Object.entries(row).filter(([name, value]) => other === null || other[name] !== value);
  return <OutsideText>{differs.map(([name, value]) => `${name}: ${shownText(value)}`).join(' · ')}</OutsideText>;
}

function RowsLeft({ rows, left, label }: { rows: readonly RowLeft[]; left: number; label: string }) {
  if (rows.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={500}>
        {plural(left, 'row')} left{rows.length < left ? `, the first ${rows.length} of them` : ''}
      </Text>
      <Table aria-label={label} fz="xs">
        <Table.Tbody>
          {rows.map(({ target, key, reason }) => (
            <Table.Tr key={`${target} ${valuesOf(key)}`}>
              <Table.Td>
                <OutsideText>{target}</OutsideText>
              </Table.Td>
              <Table.Td>
                <OutsideText>{valuesOf(key)}</OutsideText>
              </Table.Td>
              <Table.Td>{REASONS[reason] ?? reason}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

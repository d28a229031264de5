import { Box, Stack, Table, Text } from '@mantine/core';
import type { Stream } from '../../api/resources.ts';
import { CellValue } from '../../parts/table/cell-value.tsx';
import { formatCount, formatDuration, formatRows, plural } from '../../parts/words/format.ts';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';

type Proof = NonNullable<Stream['proof']>;
type ProofSample = Proof['samples'][number];

export const PROOF_RESULTS = { equal: 'Equal', differs: 'Differs', changing: 'Changing' } as const;
export const PROOF_COLORS = { equal: 'var(--status-good)', differs: 'var(--status-bad)', changing: 'var(--status-warning)' } as const;
const DIFFERENCES = { missing: 'Missing at the target', extra: 'Only at the target', different: 'Different' } as const;

/** What was found when both ends of a stream were compared, with some of the rows that differ. */
export function StreamProof({ name, proof }: { name: string; proof: Proof }) {
  const { result, rows, digest, duration_ms, samples, by, quarantined, kept } = proof;
  return (
    <Stack gap="xs" mt="xs">
      <Text size="sm">
        <Text span inherit fw={600} c={PROOF_COLORS[result]}>
          {PROOF_RESULTS[result]}
        </Text>
        : {differenceWords(proof)}
      </Text>
      <Text size="xs" c="dimmed" className="number">
        {formatRows(rows)} compared in {formatDuration(duration_ms)}
        {by === 'ledger' && ' with what the target has accepted'}
        {quarantined > 0 && ` · ${plural(quarantined, 'row')} in quarantine`}
        {kept > 0 && ` · ${plural(kept, 'row')} kept at the target`} · SHA-256 {digest.slice(0, 16)}…
      </Text>
      {samples.length > 0 && <Differences samples={samples} label={`Some rows of ${visible(name)} that differ`} />}
    </Stack>
  );
}

function differenceWords({ result, missing, extra, different, changing, more }: Proof): string {
  if (result === 'equal') return 'the target has what the source has.';
  if (result === 'changing') return `${plural(changing, 'row')} changed again whenever they were looked at.`;
  const found = `${formatCount(missing)} missing, ${formatCount(extra)} only at the target, ${formatCount(different)} different`;
  return `${more === true ? 'at least ' : ''}${found}.`;
}

/** A line for each field that differs: what the source has, and what the target has. */
function Differences({ samples, label }: { samples: readonly ProofSample[]; label: string }) {
  return (
    <Table.ScrollContainer type="native" minWidth={560} tabIndex={0} role="region" aria-label={label}>
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Key</Table.Th>
            <Table.Th scope="col">Difference</Table.Th>
            <Table.Th scope="col">Field</Table.Th>
            <Table.Th scope="col">Source</Table.Th>
            <Table.Th scope="col">Target</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {samples.flatMap((sample, place) =>
            sample.fields.map((field, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- samples have no name, and never change places
              <Table.Tr key={`${place} ${field}`}>
                <Table.Td>{at === 0 && <Key sample={sample} />}</Table.Td>
                <Table.Td>{at === 0 && DIFFERENCES[sample.difference]}</Table.Td>
                <Table.Td>
                  <OutsideText>{field}</OutsideText>
                </Table.Td>
                <Table.Td>{sample.source && <CellValue value={sample.source[field]} />}</Table.Td>
                <Table.Td>{sample.target && <CellValue value={sample.target[field]} />}</Table.Td>
              </Table.Tr>
            )),
          )}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Key({ sample: { key } }: { sample: ProofSample }) {
  return (
    <Box>
      {Object.entries(key ?? {}).map(([name, value]) => (
        <Text key={name} size="sm">
          <OutsideText>{`${name} = ${String(value)}`}</OutsideText>
        </Text>
      ))}
    </Box>
  );
}

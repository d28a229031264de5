import { Stack, Text } from '@mantine/core';
import type { Stream } from '../../api/resources.ts';
import { formatCount, formatDuration, formatRows, plural } from '../../parts/words/format.ts';
import { DifferentRows } from './different-rows.tsx';

type Proof = NonNullable<Stream['proof']>;

export const PROOF_RESULTS = { equal: 'Equal', differs: 'Differs', changing: 'Changing' } as const;
export const PROOF_COLORS = { equal: 'var(--status-good)', differs: 'var(--status-bad)', changing: 'var(--status-warning)' } as const;

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
      {samples.length > 0 && <DifferentRows name={name} samples={samples} />}
    </Stack>
  );
}

function differenceWords({ result, missing, extra, different, changing, more }: Proof): string {
  if (result === 'equal') return 'the target has what the source has.';
  if (result === 'changing') return `${plural(changing, 'row')} changed again whenever they were looked at.`;
  const found = `${formatCount(missing)} missing, ${formatCount(extra)} only at the target, ${formatCount(different)} different`;
  return `${more === true ? 'at least ' : ''}${found}.`;
}

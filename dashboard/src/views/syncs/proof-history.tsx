import { Text } from '@mantine/core';
import { usePages } from '../../api/queries.ts';
import type { Run, Sync } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { isUnderWay, StatusBadge } from '../../parts/status/status.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { formatCount, formatMoment } from '../../parts/words/format.ts';
import { visible } from '../../parts/words/outside-text.tsx';
import { PROOF_COLORS, PROOF_RESULTS } from '../runs/stream-proof.tsx';

const SIZE = 10;
const MODES: Record<string, string> = { verify: 'Verify', repair: 'Repair', repair_preview: 'Preview of a repair' };

const COLUMNS: readonly Column<Run>[] = [
  { header: 'When', cell: ({ finished_at, created_at }) => formatMoment(finished_at ?? created_at) },
  { header: 'What', cell: ({ mode, trigger }) => `${MODES[mode] ?? mode}${trigger === 'schedule' ? ', by itself' : ''}` },
  { header: 'Result', cell: (run) => <Result run={run} />, width: 110 },
  { header: 'Rows', cell: (run) => sumOf(run, 'rows'), numeric: true, width: 90 },
  { header: 'Missing', cell: (run) => sumOf(run, 'missing'), numeric: true, width: 80 },
  { header: 'Extra', cell: (run) => sumOf(run, 'extra'), numeric: true, width: 70 },
  { header: 'Different', cell: (run) => sumOf(run, 'different'), numeric: true, width: 90 },
  { header: 'Digest', cell: (run) => <Digest run={run} />, width: 130 },
];

/** What was found whenever both ends were compared, newest first. */
export function ProofHistory({ sync: { id } }: { sync: Sync }) {
  const input = { params: { id }, query: { limit: SIZE, proofs: 'true' as const } };
  const pages = usePages('GET /api/v1/datasync/sync/{id}/runs', input);
  return (
    <Section
      title="All proofs"
      about="The same digest means that the source had the same rows."
      actions={<CurlButton operation="GET /api/v1/datasync/sync/{id}/runs" input={input} />}
      flush
    >
      <DataTable
        label="All proofs"
        columns={COLUMNS}
        rows={pages.rows}
        rowKey={(run) => run.id}
        href={(run) => `/runs/${run.id}`}
        error={pages.error}
        refetch={pages.refetch}
        paging={{ ...pages, size: SIZE }}
        empty={<EmptyState title="There is no proof yet.">Whenever both ends are compared, what was found is listed here.</EmptyState>}
      />
    </Section>
  );
}

type Found = NonNullable<Run['streams'][number]['proof']>;

/** What was found of each stream; undefined when one of them was not compared. */
function foundIn({ streams }: Run): readonly Found[] | undefined {
  const found = streams.flatMap(({ proof }) => proof ?? []);
  return found.length === streams.length && found.length > 0 ? found : undefined;
}

function Result({ run }: { run: Run }) {
  const found = foundIn(run);
  if (!found || isUnderWay(run.status)) return <StatusBadge status={run.status} reason={run.error && visible(run.error.message)} />;
  const worst = (['differs', 'changing'] as const).find((result) => found.some((proof) => proof.result === result)) ?? 'equal';
  return (
    <Text span size="sm" fw={600} c={PROOF_COLORS[worst]}>
      {PROOF_RESULTS[worst]}
    </Text>
  );
}

function sumOf(run: Run, name: 'rows' | 'missing' | 'extra' | 'different'): string {
  const found = foundIn(run);
  return found ? formatCount(found.reduce((sum, proof) => sum + proof[name], 0)) : '–';
}

/** Of several streams each has its own, which its run shows. */
function Digest({ run }: { run: Run }) {
  const [only, ...others] = foundIn(run) ?? [];
  return (
    <Text span size="xs" c="dimmed" className="number">
      {only && others.length === 0 ? `${only.digest.slice(0, 12)}…` : '–'}
    </Text>
  );
}

import { Box, SimpleGrid, Text, Title } from '@mantine/core';
import type { Incident, Metrics, Sync } from '../../api/resources.ts';
import { type Shape, StatusShape } from '../../parts/status/status-shape.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { useNow } from '../../parts/words/use-now.ts';
import { type Verdict, verdictOf } from './verdict.ts';
import { type Sign, signsOf } from './vital-signs.ts';
import './overview.css';

const SHAPES: Record<Verdict['tone'], Shape> = { good: 'check', busy: 'half', warning: 'triangle', bad: 'cross' };

interface VerdictCardProps {
  syncs: readonly Sync[];
  total: number;
  metrics: Metrics | undefined;
  incidents: readonly Incident[];
  /** How many of them the list below shows by themselves. */
  others: number;
}

/** Is all well? One sentence, and the four signs that it stands on. */
export function VerdictCard({ syncs, total, metrics, incidents, others }: VerdictCardProps) {
  const now = useNow();
  const { tone, title, about } = verdictOf(syncs, total, others);
  return (
    <section className="surface verdict" data-tone={tone} aria-label="Is all well?">
      <div className="verdict-head">
        <StatusShape shape={SHAPES[tone]} tone={tone} size={44} />
        <Box miw={0}>
          <Title order={2} fz={{ base: 20, sm: 24 }} lh={1.25} role="status">
            <OutsideText>{title}</OutsideText>
          </Title>
          <Text c="dimmed" size="sm" mt={2}>
            {about}
          </Text>
        </Box>
      </div>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing={0} verticalSpacing={0} component="dl" m={0} className="signs">
        {signsOf({ syncs, total, metrics, incidents, now }).map((sign) => (
          <SignTile key={sign.label} {...sign} />
        ))}
      </SimpleGrid>
    </section>
  );
}

const SIGN_SHAPES: Record<Sign['tone'], Shape> = { good: 'check', busy: 'half', waiting: 'ring', warning: 'triangle', bad: 'cross' };

function SignTile({ label, value, note, tone }: Sign) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed" fw={500}>
        {label}
      </Text>
      <Text component="dd" m={0} fz={20} fw={600} lh={1.4} className="number sign-value">
        {tone !== 'waiting' && <StatusShape shape={SIGN_SHAPES[tone]} tone={tone} />}
        {value}
      </Text>
      <Text component="dd" m={0} size="xs" c="dimmed">
        {note}
      </Text>
    </div>
  );
}

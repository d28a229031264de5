import { Anchor, Box, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Incident, Sync } from '../../api/resources.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { HealthBadge } from '../../parts/status/status.tsx';
import { StatusShape } from '../../parts/status/status-shape.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { useMay } from '../../shell/me.tsx';
import { placeOf, ruleTitle } from '../alerts/rules.ts';
import { byUrgency, needsPerson, reasonOf } from './attention.ts';
import { HelpingButton } from './helping-button.tsx';

const MOST = 6;
const FAILING = { shape: 'cross', tone: 'bad' } as const;
const WRONG = { shape: 'triangle', tone: 'warning' } as const;

/** The incidents that the list of synchronizations does not tell of already. */
export function otherIncidents(incidents: readonly Incident[], syncs: readonly Sync[]): readonly Incident[] {
  const told = new Set(syncs.filter(needsPerson).map(({ id }) => id));
  return incidents.filter(({ object_id }) => !told.has(object_id));
}

interface NeedsPersonProps {
  syncs: readonly Sync[];
  /** Open ones, as far as they were asked for, and how many there are. */
  incidents: readonly Incident[];
  open: number;
}

/** What goes no further by itself: why, and the button that helps. */
export function NeedsPerson({ syncs, incidents, open }: NeedsPersonProps) {
  const may = useMay();
  const waiting = syncs.filter(needsPerson).toSorted(byUrgency);
  const others = otherIncidents(incidents, syncs);
  const all = open > 0 && may('webhooks') && (
    <Anchor component={Link} href="/alerts" size="sm">
      {open === 1 ? 'The open incident' : `All ${open} open incidents`}
    </Anchor>
  );
  return (
    <Section title="Needs attention" {...(all && { actions: all })}>
      {waiting.length + others.length === 0 ? (
        <EmptyState title="Nothing needs attention.">
          What fails, is late, needs approval or has rejected rows is listed here, with the reason and the button that helps.
        </EmptyState>
      ) : (
        <div className="needs">
          {waiting.slice(0, MOST).map((sync) => (
            <WaitingSync key={sync.id} sync={sync} />
          ))}
          {others.slice(0, Math.max(1, MOST - waiting.length)).map((incident) => (
            <OpenIncident key={incident.id} incident={incident} />
          ))}
          {waiting.length > MOST && (
            <Text size="sm" c="dimmed" pt="sm">
              And {waiting.length - MOST} more: see all synchronizations below.
            </Text>
          )}
        </div>
      )}
    </Section>
  );
}

function WaitingSync({ sync }: { sync: Sync }) {
  return (
    <Box>
      <Group gap="sm" justify="space-between" wrap="nowrap" align="flex-start">
        <Group gap="xs" style={{ rowGap: 0 }}>
          <Anchor component={Link} href={`/syncs/${sync.id}`} size="sm" fw={600} underline="hover">
            <OutsideText>{sync.name}</OutsideText>
          </Anchor>
          <HealthBadge health={sync.health} />
        </Group>
        <Box style={{ flex: 'none' }}>
          <HelpingButton sync={sync} />
        </Box>
      </Group>
      <Text size="sm" c="dimmed" lineClamp={3} mt={2}>
        <OutsideText>{reasonOf(sync)}</OutsideText>
      </Text>
    </Box>
  );
}

function OpenIncident({ incident }: { incident: Incident }) {
  const href = placeOf(incident);
  const name = <OutsideText>{incident.object_name}</OutsideText>;
  return (
    <Box>
      <Group gap="sm" justify="space-between">
        <Group gap="xs">
          {href === undefined ? (
            <Text size="sm" fw={600}>
              {name}
            </Text>
          ) : (
            <Anchor component={Link} href={href} size="sm" fw={600} underline="hover">
              {name}
            </Anchor>
          )}
          <Group gap={6} wrap="nowrap">
            <StatusShape {...(incident.rule === 'failing' ? FAILING : WRONG)} />
            <Text size="sm">{ruleTitle(incident.rule)}</Text>
          </Group>
        </Group>
        <Text size="sm" c="dimmed">
          <RelativeTime time={incident.opened_at} />
        </Text>
      </Group>
      <Text size="sm" c="dimmed" lineClamp={2}>
        <OutsideText>{incident.summary}</OutsideText>
      </Text>
    </Box>
  );
}

import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useApi } from '../../api/queries.ts';
import { Section } from '../../parts/page/section.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { useMay } from '../../shell/me.tsx';
import { placeOf, ruleTitle } from '../alerts/rules.ts';

const MOST = 3;

/** What is wrong at this moment, newest first; nothing where nothing is. */
export function OpenIncidents() {
  const may = useMay();
  const { data: answer } = useApi('GET /api/v1/incidents', { query: { status: 'open', limit: MOST } });
  if (!answer || answer.total === 0) return null;
  const all = may('webhooks') && (
    <Anchor component={Link} href="/alerts" size="sm">
      {answer.total === 1 ? 'The open incident' : `All ${answer.total} open incidents`}
    </Anchor>
  );
  return (
    <Section title="Open incidents" actions={all || <Text size="sm">{answer.total}</Text>}>
      <Stack gap="xs">
        {answer.data.map((incident) => {
          const href = placeOf(incident);
          const name = <OutsideText>{incident.object_name}</OutsideText>;
          return (
            <Box key={incident.id}>
              <Group gap="sm" justify="space-between">
                <Group gap="sm">
                  {href === undefined ? (
                    <Text size="sm" fw={500}>
                      {name}
                    </Text>
                  ) : (
                    <Anchor component={Link} href={href} size="sm" fw={500} underline="hover">
                      {name}
                    </Anchor>
                  )}
                  <Text size="sm">{ruleTitle(incident.rule)}</Text>
                </Group>
                <Text size="sm" c="dimmed">
                  <RelativeTime time={incident.opened_at} />
                </Text>
              </Group>
              <Text size="sm" c="dimmed" lineClamp={1}>
                <OutsideText>{incident.summary}</OutsideText>
              </Text>
            </Box>
          );
        })}
      </Stack>
    </Section>
  );
}

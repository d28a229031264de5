import { Button, Group, Stack, Text, ThemeIcon } from '@mantine/core';
import { Link } from 'wouter';
import { useApi } from '../../api/queries.ts';
import { CheckIcon } from '../../parts/icons.tsx';
import { Section } from '../../parts/page/section.tsx';

/** The same with one's own systems: what is done, and what comes next. */
export function OwnData() {
  const sources = useApi('GET /api/v1/datasync/sources', { query: { limit: 1 } }).data?.total ?? 0;
  const syncs = useApi('GET /api/v1/datasync/sync', { query: { status: 'all', limit: 1 } }).data?.total ?? 0;
  const steps = [
    {
      title: 'Add the system that is read',
      about: 'A PostgreSQL, MySQL or SQLite database, files, an HTTP API, or the orders and products of this Syncline.',
      done: sources > 0,
      href: '/sources/new',
      action: 'Add a source',
    },
    {
      title: 'Add the system that is written to',
      about: 'Any of these can be at either end.',
      done: sources > 1,
      href: '/sources/new',
      action: 'Add a target',
    },
    {
      title: 'Create a synchronization',
      about: 'Choose tables or files; everything else has a sensible default. You see what would change before anything does.',
      done: syncs > 0,
      href: '/syncs/new',
      action: 'Create a synchronization',
    },
  ];
  const next = steps.findIndex(({ done }) => !done);
  return (
    <Section title="With your own data" about="Three steps. Nothing is written before you have seen it.">
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map(({ title, about, done, href, action }, place) => (
          <Group component="li" key={title} gap="sm" align="flex-start" wrap="nowrap">
            <ThemeIcon variant={done ? 'filled' : 'default'} radius="xl" size={26}>
              {done ? <CheckIcon size={14} /> : <Text size="xs">{place + 1}</Text>}
            </ThemeIcon>
            <Stack gap={4} align="flex-start">
              <Text size="sm" fw={500}>
                {title}
                {done && <span className="only-heard"> (done)</span>}
              </Text>
              <Text size="sm" c="dimmed">
                {about}
              </Text>
              <Button component={Link} href={href} size="xs" variant={place === next ? 'filled' : 'default'}>
                {action}
              </Button>
            </Stack>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

import { Box, NavLink, ScrollArea, Stack, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { View } from '../navigation.ts';
import { ReferenceIcon } from '../parts/icons.tsx';
import { AccountPanel } from './account-panel.tsx';
import { Brand } from './brand.tsx';
import { FindButton } from './find-button.tsx';

type Entry = View & { entry: NonNullable<View['entry']> };

/** The list of views, and below it whose key this is. */
export function Navigation({ views }: { views: readonly View[] }) {
  const [location] = useLocation();
  const entries = views.filter((view): view is Entry => view.entry !== undefined);
  const groups = Map.groupBy(entries, ({ entry }) => entry.group);
  return (
    <Stack h="100%" gap={0}>
      <Box p="md" visibleFrom="sm">
        <Brand />
      </Box>
      <Box px="sm" pb="sm" visibleFrom="sm">
        <FindButton />
      </Box>
      <ScrollArea flex={1} scrollbarSize={6} px="xs" pt={{ base: 'xs', sm: 0 }} type="auto">
        <nav aria-label="Views">
          {[...groups].map(([group, ofGroup]) => (
            <Box key={group ?? ''} mb={8}>
              {group !== undefined && (
                <Text size="xs" fw={600} c="dimmed" px="sm" pb={2}>
                  {group}
                </Text>
              )}
              {ofGroup.map(({ path, entry: { label, icon: Icon } }) => {
                const active = path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`);
                return (
                  <NavLink
                    key={path}
                    component={Link}
                    href={path}
                    label={label}
                    leftSection={<Icon />}
                    active={active}
                    variant="light"
                    {...(active && { 'aria-current': 'page' })}
                    py={{ base: 6, sm: 3 }}
                    style={{ borderRadius: 'var(--mantine-radius-md)' }}
                  />
                );
              })}
            </Box>
          ))}
          <NavLink
            component="a"
            href="/docs"
            target="_blank"
            rel="noreferrer"
            label="API reference"
            leftSection={<ReferenceIcon />}
            py={{ base: 6, sm: 3 }}
            style={{ borderRadius: 'var(--mantine-radius-md)' }}
          />
        </nav>
      </ScrollArea>
      <AccountPanel />
    </Stack>
  );
}

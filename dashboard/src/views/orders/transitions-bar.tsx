import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Order } from '../../api/resources.ts';
import { ScopedButton } from '../../parts/action/scoped-button.tsx';
import { TransitionDialog } from './transition-dialog.tsx';
import { MOVES, nextOf, type Target } from './transitions.ts';

/** Where the order can go from here. */
export function Transitions({ order, refetch }: { order: Order; refetch: () => unknown }) {
  const [asking, setAsking] = useState<{ to: Target; version: number }>();
  const targets = nextOf(order.status);
  return (
    <>
      {targets.length === 0 ? (
        <Text size="sm" c="dimmed">
          This is a final status: it cannot change any more.
        </Text>
      ) : (
        <Group gap="xs" role="group" aria-label="Change the status">
          {targets.map((to, place) => (
            <ScopedButton
              key={to}
              scope="orders:write"
              look={{ variant: place === 0 ? 'filled' : 'default' }}
              // What is decided is decided about the order as it is seen now.
              onClick={() => setAsking({ to, version: order.version })}
            >
              {MOVES[to].verb}
            </ScopedButton>
          ))}
        </Group>
      )}
      <TransitionDialog
        key={`${asking?.to} ${asking?.version}`}
        order={order}
        asking={asking}
        refetch={refetch}
        onClose={() => setAsking(undefined)}
      />
    </>
  );
}

import { List } from '@mantine/core';
import type { Hook } from '../../api/resources.ts';
import { SCHEMES } from './schemes.ts';

/** What to do at the sender, step by step. */
export function SetUpSteps({ scheme }: { scheme: Hook['scheme'] }) {
  return (
    <List type="ordered" size="sm" maw="72ch">
      {SCHEMES[scheme].steps.map((step) => (
        <List.Item key={step}>{step}</List.Item>
      ))}
    </List>
  );
}

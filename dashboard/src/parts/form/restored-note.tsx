import { Alert, Button, Group, Text } from '@mantine/core';
import { formatMoment } from '../words/format.ts';
import type { KeptDraft } from './kept-draft.ts';

interface RestoredNoteProps {
  draft: Pick<KeptDraft<unknown>, 'restoredFrom' | 'isOutdated' | 'discard'>;
  /** What else is to be known of what was restored. */
  more?: string;
}

/** Says that there are changes from an earlier visit, or that another person has saved meanwhile, and offers to discard them. */
export function RestoredNote({ draft: { restoredFrom, isOutdated, discard }, more = '' }: RestoredNoteProps) {
  if (restoredFrom === undefined && !isOutdated) return null;
  return (
    <Alert
      variant="outline"
      color="orange"
      className="surface"
      role="status"
      title={restoredFrom === undefined ? 'It has changed meanwhile' : 'Unsaved changes are restored'}
      mb="md"
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ flex: '1 1 30ch' }}>
          {restoredFrom !== undefined && `They are from ${formatMoment(restoredFrom)}. ${more} `}
          {isOutdated &&
            'Since you began, another change was saved. What you leave as it was here stays as it is now; what you change replaces it.'}
        </Text>
        <Button size="xs" variant="default" onClick={discard}>
          Discard my changes
        </Button>
      </Group>
    </Alert>
  );
}

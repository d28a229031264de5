import { Button, Stack, Text } from '@mantine/core';
import { sentencesOf } from '../../api/errors.ts';
import { Note } from '../status/note.tsx';
import { OutsideText } from '../words/outside-text.tsx';

interface ErrorStateProps {
  error: unknown;
  /** Tries again. */
  retry?: () => unknown;
  title?: string;
  /** Says the place of a fault by the names that people know it by. */
  place?: (path: string) => string;
}

/** Says what went wrong, a sentence for each fault, and offers to try again. */
export function ErrorState({ error, retry, title = 'This could not be loaded', place }: ErrorStateProps) {
  return (
    <Note tone="bad" title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        {sentencesOf(error, place).map((words) => (
          <Text size="sm" key={words}>
            <OutsideText>{words}</OutsideText>
          </Text>
        ))}
        {retry && (
          <Button size="xs" variant="default" onClick={() => void retry()}>
            Try again
          </Button>
        )}
      </Stack>
    </Note>
  );
}

import { Alert, Button, Stack, Text } from '@mantine/core';
import { ApiError, sentenceOf } from '../api/errors.ts';
import { WarningIcon } from './icons.tsx';
import { OutsideText } from './outside-text.tsx';

interface ErrorStateProps {
  error: unknown;
  /** Tries again. */
  retry?: () => unknown;
  title?: string;
}

/** Says what went wrong in the service's own words, and offers to try again. */
export function ErrorState({ error, retry, title = 'This could not be loaded' }: ErrorStateProps) {
  const faults = error instanceof ApiError && error.faults.length > 1 ? error.faults : [];
  return (
    <Alert variant="outline" color="red" title={title} icon={<WarningIcon />} role="alert" className="surface">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <OutsideText>{sentenceOf(error)}</OutsideText>
        </Text>
        {faults.map(({ field, reason }) => (
          <Text size="sm" key={field + reason}>
            <OutsideText>{`${field} ${reason}`}</OutsideText>
          </Text>
        ))}
        {retry && (
          <Button size="xs" variant="default" onClick={() => void retry()}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

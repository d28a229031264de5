import { Stack, Text } from '@mantine/core';
import type { Data } from '../../api/client.ts';
import { Note } from '../../parts/status/note.tsx';
import { RawText } from '../../parts/page/raw-text.tsx';
import { formatDuration } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { sentence } from '../../parts/words/sentence.ts';

export type TestResult = Data<'POST /api/v1/webhooks/{id}/test'>;

/** What came of an event that was sent to try. */
export function TestOutcome({ result, onClose }: { result: TestResult; onClose: () => void }) {
  const { delivered, status, duration_ms, error, response } = result;
  return (
    <Note
      tone={delivered ? 'good' : 'bad'}
      title={delivered ? 'The test was delivered' : 'The test was not delivered'}
      role={delivered ? 'status' : 'alert'}
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">
          {error !== null && (
            <>
              <OutsideText>{sentence(error)}</OutsideText>{' '}
            </>
          )}
          {status === null ? 'There was no answer' : `The answer was HTTP ${status}`}, after {formatDuration(duration_ms)}.
        </Text>
        {response !== null && response !== '' && <RawText label="Answer to the test">{response}</RawText>}
      </Stack>
    </Note>
  );
}

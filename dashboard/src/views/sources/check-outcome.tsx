import { List, Text } from '@mantine/core';
import type { CheckResult } from '../../api/resources.ts';
import { formatDuration } from '../../parts/words/format.ts';
import { Note } from '../../parts/status/note.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';

/** What a try of the connection has found, and what to do. */
export function CheckOutcome({ result }: { result: CheckResult }) {
  const { ok, message, warnings, live_needs, error, duration_ms } = result;
  return (
    <Note tone={ok ? 'good' : 'bad'} title={ok ? 'The connection works' : 'The connection does not work'} role={ok ? 'status' : 'alert'}>
      <Text size="sm">
        <OutsideText>{message}</OutsideText>
      </Text>
      {error?.hint != null && (
        <Text size="sm" fw={500} mt={4}>
          <OutsideText>{error.hint}</OutsideText>
        </Text>
      )}
      {warnings.length > 0 && (
        <List size="sm" mt={4}>
          {warnings.map((warning) => (
            <List.Item key={warning}>
              <OutsideText>{warning}</OutsideText>
            </List.Item>
          ))}
        </List>
      )}
      {live_needs !== null && (
        <Text size="sm" mt={4}>
          {live_needs.length === 0 ? 'It is ready for live synchronizations.' : 'To follow its changes live, it still needs this:'}
        </Text>
      )}
      {live_needs !== null && live_needs.length > 0 && (
        <List size="sm">
          {live_needs.map((need) => (
            <List.Item key={need}>
              <OutsideText>{need}</OutsideText>
            </List.Item>
          ))}
        </List>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        Answered within {formatDuration(duration_ms)}.
      </Text>
    </Note>
  );
}

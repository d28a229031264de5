import { ActionIcon, Code, Group, Popover, Stack, Text, Tooltip } from '@mantine/core';
import { type Input, type OperationName, requestOf } from '../../api/client.ts';
import { curlOf } from '../../api/curl.ts';
import { CopyButton } from './copy-button.tsx';
import { TerminalIcon } from '../icons.tsx';

interface CurlButtonProps<Name extends OperationName> {
  operation: Name;
  input: Input<Name>;
  /** As high as the button beside it. */
  size?: number;
}

/** On what has the focus in here: Escape then closes this, and leaves the dialog around it open. */
const OWN_ESCAPE = { 'data-mantine-stop-propagation': true };

/** Shows and copies the request that stands behind a button or a list, for a shell: a phone has none. */
export function CurlButton<Name extends OperationName>({ operation, input, size = 36 }: CurlButtonProps<Name>) {
  const request = requestOf(operation, input);
  const command = curlOf(request, location.origin);
  return (
    <Popover width={460} position="bottom-end" shadow="md" withArrow trapFocus>
      <Popover.Target>
        <Tooltip label="The same with curl">
          <ActionIcon variant="default" size={size} aria-label={`${request.method} ${request.path} with curl`} visibleFrom="sm">
            <TerminalIcon size={16} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown maw="94vw" {...OWN_ESCAPE}>
        <Stack gap="xs">
          <Code block tabIndex={0} aria-label="Command" {...OWN_ESCAPE}>
            {command}
          </Code>
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              The key is read from $SYNCLINE_KEY.
            </Text>
            <CopyButton text={command} size="xs" variant="default" {...OWN_ESCAPE} />
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

import { ActionIcon, Button, Code, Group, Popover, Stack, Text, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { type Input, type OperationName, requestOf } from '../api/client.ts';
import { curlOf } from '../api/curl.ts';
import { CheckIcon, CopyIcon, TerminalIcon } from './icons.tsx';

interface CurlButtonProps<Name extends OperationName> {
  operation: Name;
  input: Input<Name>;
  /** As high as the button beside it. */
  size?: number;
}

/** On what has the focus in here: Escape then closes this, and leaves the dialog around it open. */
const OWN_ESCAPE = { 'data-mantine-stop-propagation': true };

/** Shows and copies the request that stands behind a button or a list, for a shell. */
export function CurlButton<Name extends OperationName>({ operation, input, size = 36 }: CurlButtonProps<Name>) {
  const clipboard = useClipboard({ timeout: 2000 });
  const request = requestOf(operation, input);
  const command = curlOf(request, location.origin);
  return (
    <Popover width={460} position="bottom-end" shadow="md" withArrow trapFocus>
      <Popover.Target>
        <Tooltip label="The same with curl">
          <ActionIcon variant="default" size={size} aria-label={`${request.method} ${request.path} with curl`}>
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
            <Button
              size="xs"
              variant="default"
              leftSection={clipboard.copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
              onClick={() => clipboard.copy(command)}
              {...OWN_ESCAPE}
            >
              {clipboard.copied ? 'Copied' : 'Copy'}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

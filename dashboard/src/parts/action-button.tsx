import { Button, type ButtonProps, Group, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Answer, Input, OperationName } from '../api/client.ts';
import { useAction } from '../api/queries.ts';
import type { Scope } from '../api/resources.ts';
import { useMay } from '../shell/me.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { CurlButton } from './curl-button.tsx';

interface ActionButtonProps<Name extends OperationName> {
  operation: Name;
  input: Input<Name>;
  /** What it needs; a key without it finds the button disabled, with the reason. */
  scope: Scope;
  children: string;
  /** Said when it is done. */
  done?: string | ((answer: Answer<Name>) => string);
  onDone?: (answer: Answer<Name>) => void;
  /** Asks first: what happens, and that it cannot be undone. */
  confirm?: { title: string; about: ReactNode };
  /** Why it is not possible now. */
  unavailable?: string | undefined;
  look?: Pick<ButtonProps, 'variant' | 'color' | 'leftSection' | 'size'>;
}

/** Does one thing by the interface: asks first where that is due, says what came of it, and shows the same with curl. */
export function ActionButton<Name extends OperationName>(props: ActionButtonProps<Name>) {
  const { operation, input, scope, children, done, onDone, confirm, unavailable, look } = props;
  const may = useMay()(scope);
  const [asking, dialog] = useDisclosure(false);
  const action = useAction(operation, {
    ...(done !== undefined && { done }),
    onDone: (answer) => {
      dialog.close();
      onDone?.(answer);
    },
    quiet: confirm !== undefined,
  });
  const reason = may ? unavailable : `This key may not do that: it lacks the scope ${scope}.`;
  return (
    <Group gap={4} wrap="nowrap">
      <Tooltip label={reason} disabled={reason === undefined}>
        <Button
          variant="default"
          {...look}
          loading={action.isPending && !asking}
          // Still to be pointed at and reached by the keyboard, so that the reason can be read.
          {...(reason !== undefined && { 'data-disabled': true, 'aria-disabled': true, title: reason })}
          onClick={(event) => {
            if (reason !== undefined) event.preventDefault();
            else if (confirm) dialog.open();
            else action.mutate(input);
          }}
        >
          {children}
        </Button>
      </Tooltip>
      <CurlButton operation={operation} input={input} />
      {confirm && (
        <ConfirmDialog
          opened={asking}
          title={confirm.title}
          about={confirm.about}
          verb={children}
          danger={look?.color === 'red'}
          pending={action.isPending}
          error={action.error}
          onConfirm={() => action.mutate(input)}
          onClose={() => {
            dialog.close();
            action.reset();
          }}
        />
      )}
    </Group>
  );
}

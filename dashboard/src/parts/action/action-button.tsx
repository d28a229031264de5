import { type ButtonProps, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Answer, Input, OperationName } from '../../api/client.ts';
import { useAction } from '../../api/queries.ts';
import type { Scope } from '../../api/resources.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { CurlButton } from './curl-button.tsx';
import { ScopedButton } from './scoped-button.tsx';

interface ActionButtonProps<Name extends OperationName> {
  operation: Name;
  input: Input<Name>;
  /** What it needs, all of it; a key without finds the button disabled, with the reason. */
  scope: Scope | readonly Scope[];
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
  const [asking, dialog] = useDisclosure(false);
  const action = useAction(operation, {
    ...(done !== undefined && { done }),
    onDone: (answer) => {
      dialog.close();
      onDone?.(answer);
    },
    quiet: confirm !== undefined,
  });
  return (
    <Group gap={4} wrap="nowrap">
      <ScopedButton
        scope={scope}
        unavailable={unavailable}
        look={look}
        loading={action.isPending && !asking}
        onClick={() => (confirm ? dialog.open() : action.mutate(input))}
      >
        {children}
      </ScopedButton>
      <CurlButton operation={operation} input={input} {...(look?.size === 'xs' && { size: 30 })} />
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

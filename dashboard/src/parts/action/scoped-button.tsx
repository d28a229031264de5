import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Scope } from '../../api/resources.ts';
import { useMay } from '../../shell/me.tsx';

interface ScopedButtonProps {
  /** What it needs, all of it; a key without finds the button disabled, with the reason. */
  scope: Scope | readonly Scope[];
  /** Why it is not possible now. */
  unavailable?: string | undefined;
  onClick: () => void;
  loading?: boolean;
  look?: Pick<ButtonProps, 'variant' | 'color' | 'leftSection' | 'size'> | undefined;
  children: ReactNode;
}

/** A button for what not every key may do. */
export function ScopedButton({ scope, unavailable, onClick, loading = false, look, children }: ScopedButtonProps) {
  const may = useMay();
  const lacking = [scope].flat().find((one) => !may(one));
  const reason = lacking === undefined ? unavailable : `This key may not do that: it lacks the scope ${lacking}.`;
  return (
    <Tooltip label={reason} disabled={reason === undefined}>
      <Button
        variant="default"
        {...look}
        loading={loading}
        // Still to be pointed at and reached by the keyboard, so that the reason can be read.
        {...(reason !== undefined && { 'data-disabled': true, 'aria-disabled': true, title: reason })}
        onClick={(event) => {
          if (reason !== undefined) event.preventDefault();
          // The second click of a double one is meant for nothing.
          else if (event.detail < 2) onClick();
        }}
      >
        {children}
      </Button>
    </Tooltip>
  );
}

import { Anchor, PasswordInput, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { MASK } from './mask.ts';

interface SecretFieldProps {
  label: string;
  description: ReactNode;
  error: string | undefined;
  withAsterisk: boolean;
  value: unknown;
  multiline?: boolean;
  /** False where there must be one: it can be replaced, but not removed. */
  removable?: boolean;
  onChange: (value: string | undefined) => void;
}

/** A secret. One that is stored never comes back: it is kept until another is entered, or it is removed. */
export function SecretField({ description, value, multiline = false, removable = true, onChange, ...words }: SecretFieldProps) {
  const isKept = value === MASK;
  const field = {
    ...words,
    description: (
      <>
        {description}
        {isKept && removable && (
          <>
            {' '}
            <Anchor component="button" type="button" size="xs" onClick={() => onChange(undefined)}>
              Remove what is stored
            </Anchor>
          </>
        )}
      </>
    ),
    value: isKept || typeof value !== 'string' ? '' : value,
    placeholder: isKept ? 'Stored; enter another to replace it' : '',
    autoComplete: 'off',
    spellCheck: false,
  };
  // What is emptied again where there must be a secret is what was stored before.
  const [wasStored] = useState(isKept);
  const change = (entered: string): void => onChange(entered === '' ? (wasStored && !removable ? MASK : undefined) : entered);
  return multiline ? (
    <Textarea {...field} autosize minRows={2} maxRows={10} onChange={({ currentTarget }) => change(currentTarget.value)} />
  ) : (
    <PasswordInput
      {...field}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': `Show what is entered as ${words.label}` }}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

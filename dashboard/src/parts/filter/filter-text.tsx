import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useFilter } from './use-filter.ts';

interface FilterTextProps {
  label: string;
  /** Its name in the address of the page. */
  name: string;
  placeholder?: string;
  maxLength: number;
}

/** A filter that one types. It counts when the typing pauses. */
export function FilterText({ label, name, placeholder, maxLength }: FilterTextProps) {
  const [value, setValue] = useFilter(name);
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  const apply = useDebouncedCallback((typed: string) => setValue(typed.trim()), 300);
  if (seen !== value) {
    setSeen(value);
    // Changed from elsewhere: by "Clear the filters", or by the way back.
    if (text.trim() !== value) setText(value);
  }
  return (
    <TextInput
      label={label}
      type="search"
      size="sm"
      maxLength={maxLength}
      {...(placeholder !== undefined && { placeholder })}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        apply(currentTarget.value);
      }}
    />
  );
}

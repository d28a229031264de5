import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { Described } from './described.tsx';
import type { ConfigFieldProps } from './plain-field.tsx';
import { labelOf } from './schema.ts';

/** The field for what may be anything: its JSON. What is not JSON yet is kept here until it is. */
export function JsonField({ schema, path, value, required, faults, onChange }: ConfigFieldProps) {
  const written = value === undefined ? '' : JSON.stringify(value, undefined, 2);
  const [draft, setDraft] = useState<string>();
  const change = (text: string): void => {
    const parsed = parse(text);
    setDraft(parsed.isJson ? undefined : text);
    if (parsed.isJson) onChange(parsed.value);
  };
  return (
    <Textarea
      label={labelOf(schema, path)}
      description={schema.description === undefined ? undefined : <Described text={schema.description} />}
      placeholder={schema.type === 'object' ? '{"name": "value"}' : ''}
      withAsterisk={required}
      error={faults.get(path) ?? (draft === undefined ? undefined : 'This is not JSON yet.')}
      value={draft ?? written}
      autosize
      minRows={2}
      maxRows={10}
      spellCheck={false}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

function parse(text: string): { isJson: true; value: unknown } | { isJson: false } {
  if (text.trim() === '') return { isJson: true, value: undefined };
  try {
    return { isJson: true, value: JSON.parse(text) as unknown };
  } catch {
    return { isJson: false };
  }
}

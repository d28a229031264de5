import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { Described } from './described.tsx';
import { type ConfigSchema, isMultiline, labelOf, textOf } from './schema.ts';
import { SecretField } from '../../../parts/form/secret-field.tsx';

export interface ConfigFieldProps {
  schema: ConfigSchema;
  /** Its place in the configuration, such as `config.streams[0].path`. */
  path: string;
  value: unknown;
  required: boolean;
  /** What is wrong, by place. */
  faults: ReadonlyMap<string, string>;
  onChange: (value: unknown) => void;
}

/** The field for one value: a text, a number, a choice, a switch or a secret. */
export function PlainField({ schema, path, value, required, faults, onChange }: ConfigFieldProps) {
  const fault = faults.get(path);
  const words = {
    label: labelOf(schema, path),
    description: schema.description === undefined ? undefined : <Described text={schema.description} />,
    error: fault,
    withAsterisk: required,
  };
  const preset = schema.default === undefined ? undefined : textOf(schema.default);
  if (schema.writeOnly) return <SecretField {...words} value={value} multiline={isMultiline(schema)} onChange={onChange} />;
  if (schema.type === 'boolean') {
    return (
      <Switch
        label={words.label}
        description={words.description}
        error={fault}
        checked={(value ?? schema.default) === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    );
  }
  if (schema.enum) {
    return (
      <NativeSelect
        {...words}
        data={[...(preset === undefined && value === undefined ? [''] : []), ...schema.enum.map(textOf)]}
        value={textOf(value ?? preset)}
        onChange={({ currentTarget }) => onChange(schema.enum?.find((word) => textOf(word) === currentTarget.value))}
      />
    );
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    return (
      <NumberInput
        {...words}
        value={typeof value === 'number' ? value : ''}
        placeholder={preset ?? ''}
        allowDecimal={schema.type === 'number'}
        hideControls
        onChange={(entered) => onChange(typeof entered === 'number' ? entered : undefined)}
      />
    );
  }
  const text = textOf(value);
  const change = (entered: string): void => onChange(entered === '' ? undefined : entered);
  if (isMultiline(schema)) {
    return (
      <Textarea
        {...words}
        value={text}
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...words}
      value={text}
      placeholder={preset ?? ''}
      spellCheck={false}
      autoComplete="off"
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

import { MultiSelect, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import type { Sync } from '../../../api/resources.ts';
import { visible } from '../../../parts/words/outside-text.tsx';
import { DELETE_WORDS, MODE_WORDS } from '../words.ts';
import { fieldChoices, type KnownFields, type StreamDraft } from './draft.ts';

interface StreamOptionsProps {
  stream: StreamDraft;
  info: KnownFields;
  /** What the service has filled in; undefined until it is known. */
  filled: Sync['streams'][number] | undefined;
  /** It follows the log: there is no other mode then, and no cursor. */
  live: boolean;
  faults: ReadonlyMap<string, string>;
  onChange: (part: Partial<StreamDraft>) => void;
}

/** How a stream is kept in sync. What is left open is chosen by the service, and shown. */
export function StreamOptions({ stream, info, filled, live, faults, onChange }: StreamOptionsProps) {
  const auto = (chosen: string | null | undefined): string => (chosen == null ? 'Automatic' : `Automatic: ${visible(chosen)}`);
  const { mode = filled?.mode } = stream;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        label="Target stream"
        description="The table, file or resource at the target. It is created when it is missing."
        value={stream.target ?? ''}
        placeholder={filled?.target ?? ''}
        error={faults.get('target')}
        onChange={({ currentTarget }) => onChange({ target: currentTarget.value === '' ? undefined : currentTarget.value })}
      />
      {!live && (
        <NativeSelect
          label="Mode"
          description="Mirror reads everything; incremental and append read what is new by a cursor."
          data={[
            { value: '', label: auto(filled && MODE_WORDS[filled.mode]) },
            ...Object.entries(MODE_WORDS).flatMap(([value, label]) => (value === 'cdc' ? [] : [{ value, label }])),
          ]}
          value={stream.mode ?? ''}
          error={faults.get('mode')}
          onChange={({ currentTarget }) => onChange({ mode: (currentTarget.value || undefined) as StreamDraft['mode'] })}
        />
      )}
      <MultiSelect
        label="Key"
        description="The fields that identify a row."
        data={fieldChoices(info, stream.key ?? []).map(({ value, label }) => ({ value, label: visible(label) }))}
        value={[...(stream.key ?? [])]}
        placeholder={stream.key === undefined || stream.key.length === 0 ? auto(filled?.key.join(', ') || undefined) : ''}
        error={faults.get('key')}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Choose the key automatically' }}
        onChange={(key) => onChange({ key: key.length === 0 ? undefined : key })}
      />
      {!live && mode !== 'mirror' && (
        <NativeSelect
          label="Cursor"
          description="The field by which new and changed rows are found."
          data={[
            { value: '', label: auto(filled?.cursor) },
            ...fieldChoices(info, [stream.cursor ?? '']).map(({ value, label }) => ({
              value,
              label: visible(label) + (info.cursors.includes(value) ? ' (recommended)' : ''),
            })),
          ]}
          value={stream.cursor ?? ''}
          error={faults.get('cursor')}
          onChange={({ currentTarget }) => onChange({ cursor: currentTarget.value || undefined })}
        />
      )}
      <NativeSelect
        label="Deleted rows"
        description="What happens to rows that are deleted at the source."
        data={[
          { value: '', label: auto(filled && DELETE_WORDS[filled.deletes]) },
          ...Object.entries(DELETE_WORDS).map(([value, label]) => ({ value, label })),
        ]}
        value={stream.deletes ?? ''}
        error={faults.get('deletes')}
        onChange={({ currentTarget }) => onChange({ deletes: (currentTarget.value || undefined) as StreamDraft['deletes'] })}
      />
    </SimpleGrid>
  );
}

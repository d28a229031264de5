import { Skeleton, Text } from '@mantine/core';
import type { Data } from '../../api/client.ts';
import { CopyButton } from '../action/copy-button.tsx';
import { ErrorState } from '../page/error-state.tsx';
import { RawText } from '../page/raw-text.tsx';
import { Section } from '../page/section.tsx';
import { OutsideText } from '../words/outside-text.tsx';

interface YamlSectionProps {
  /** What it is of: a noun. */
  of: string;
  written: Data<'GET /api/v1/datasync/config/sources/{id}'> | undefined;
  error: Error | null;
}

/** One thing as a file of the configuration has it, to be copied. */
export function YamlSection({ of, written, error }: YamlSectionProps) {
  return (
    <Section
      title="As YAML"
      about={`This ${of} as a configuration file has it, and as \`syncline export\` writes it.`.replaceAll('`', '')}
      actions={written && <CopyButton text={written.yaml} variant="default" size="xs" />}
    >
      {error && <ErrorState error={error} />}
      {!written && !error && <Skeleton h={160} role="status" aria-label="Loading" />}
      {written && <RawText label={`The ${of} as YAML`}>{written.yaml}</RawText>}
      {written && written.variables.length > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          Secrets are not in it. Set <OutsideText>{written.variables.map(({ name }) => name).join(', ')}</OutsideText> before you apply it
          elsewhere.
        </Text>
      )}
    </Section>
  );
}

import { Alert, type AlertProps } from '@mantine/core';
import { StatusShape } from './status-shape.tsx';

const TONES = {
  good: { shape: 'check', color: 'teal' },
  warning: { shape: 'triangle', color: 'orange' },
  bad: { shape: 'cross', color: 'red' },
} as const;

interface NoteProps extends Omit<AlertProps, 'variant' | 'color' | 'className' | 'icon'> {
  tone: keyof typeof TONES;
}

/** What the reader should see before all else. How bad it is, is told by the same shapes and colours as states are. */
export function Note({ tone, ...props }: NoteProps) {
  const { shape, color } = TONES[tone];
  return (
    <Alert variant="outline" color={color} className="surface" icon={<StatusShape shape={shape} tone={tone} size={18} />} {...props} />
  );
}

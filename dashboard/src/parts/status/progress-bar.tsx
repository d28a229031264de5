import { Progress } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { formatPart } from '../words/format.ts';
import { visible } from '../words/outside-text.tsx';

interface ProgressBarProps {
  /** From 0 to 1; undefined when nobody knows how much there is. */
  part: number | undefined;
  /** Whose progress it is. */
  of: string;
  /** What is known all the same, for those who do not see the bar. */
  words: string;
  size: 'sm' | 'md';
  color?: string;
  /** Whether something goes on at the moment. */
  moving: boolean;
}

/** How far something is. Where that is not known, the bar is striped, and moves for those who like that. */
export function ProgressBar({ part, of, words, size, color = 'indigo.6', moving }: ProgressBarProps) {
  const still = useReducedMotion();
  return (
    <Progress.Root size={size}>
      <Progress.Section
        value={(part ?? 1) * 100}
        striped={part === undefined}
        animated={part === undefined && moving && !still}
        color={color}
        // Mantine's own would call a bar full whose end nobody knows.
        withAria={false}
        role="progressbar"
        aria-label={`Progress of ${visible(of)}`}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(part !== undefined && { 'aria-valuenow': Math.round(part * 100) })}
        aria-valuetext={part === undefined ? words : formatPart(part)}
      />
    </Progress.Root>
  );
}

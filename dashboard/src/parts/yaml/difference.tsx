import { Box, Text, VisuallyHidden } from '@mantine/core';
import { useMemo } from 'react';
import { plural } from '../words/format.ts';
import { visible } from '../words/visible.ts';
import './difference.css';
import { aroundChanges, lineDifference, type ShownLine } from './line-difference.ts';

const SIGNS = { new: '+', gone: '−', same: '', 'left-out': '' };
/** For those who do not see the colours. */
const SAID = { new: 'Added: ', gone: 'Removed: ', same: '', 'left-out': '' };

/** Two texts, line by line, with what differs and a little around it. */
export function Difference({ label, before, after }: { label: string; before: string; after: string }) {
  const lines = useMemo(() => aroundChanges(lineDifference(before, after)), [before, after]);
  if (before === after)
    return (
      <Text size="sm" c="dimmed">
        Nothing differs.
      </Text>
    );
  return (
    <Box className="difference" role="region" aria-label={label} tabIndex={0}>
      {lines.map((line, place) => (
        // oxlint-disable-next-line no-array-index-key -- lines have no other name than their place
        <div key={place} className="difference-line" data-kind={line.kind}>
          <span aria-hidden="true">{SIGNS[line.kind]}</span>
          <span className="difference-text">
            <VisuallyHidden>{SAID[line.kind]}</VisuallyHidden>
            {textOf(line)}
          </span>
        </div>
      ))}
    </Box>
  );
}

function textOf(line: ShownLine): string {
  return line.kind === 'left-out' ? `⋯ ${plural(line.count, 'line')} the same` : visible(line.text);
}

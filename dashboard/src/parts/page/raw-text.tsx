import { Code } from '@mantine/core';
import { visible } from '../words/visible.ts';

/** Text as it came or goes, in its own lines; JSON is set out. Long lines break, what is very high scrolls by itself. */
export function RawText({ label, children }: { label: string; children: string }) {
  return (
    <Code
      block
      tabIndex={0}
      role="region"
      aria-label={label}
      mah={420}
      style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', unicodeBidi: 'isolate' }}
    >
      {visible(setOut(children))}
    </Code>
  );
}

/** JSON with a line for each member. What is none, or has digits that would be lost, stays as it is. */
function setOut(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || JSON.stringify(value) !== text) return text;
    return JSON.stringify(value, undefined, 2);
  } catch {
    return text;
  }
}

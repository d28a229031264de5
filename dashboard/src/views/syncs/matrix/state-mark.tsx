import type { ReactNode } from 'react';

/** Every state has a colour and a shape of its own: either tells it. */
export const SHAPES: Readonly<Record<string, readonly [tone: string, shape: ReactNode]>> = {
  succeeded: ['good', <rect key="s" x="3" y="3" width="10" height="10" rx="2" fill="currentColor" />],
  partial: ['warning', <path key="s" d="M8 2.500L14 13.500H2z" fill="currentColor" />],
  failed: ['bad', <path key="s" d="M3.500 3.500l9 9M12.500 3.500l-9 9" stroke="currentColor" strokeWidth="3" strokeLinecap="round" />],
  needs_approval: ['warning', <circle key="s" cx="8" cy="8" r="5" fill="none" stroke="currentColor" strokeWidth="2.500" />],
  running: ['busy', <path key="s" d="M4.500 2.500v11L13 8z" fill="currentColor" />],
  retrying: [
    'warning',
    <path key="s" d="M4.500 2.500v11L13 8z" fill="none" stroke="currentColor" strokeWidth="2" strokeLinejoin="round" />,
  ],
  queued: ['busy', <circle key="s" cx="8" cy="8" r="2.500" fill="currentColor" />],
  pending: ['waiting', <circle key="s" cx="8" cy="8" r="2.500" fill="currentColor" />],
  cancelled: ['waiting', <path key="s" d="M3.500 8h9" stroke="currentColor" strokeWidth="2.500" strokeLinecap="round" />],
  skipped: ['waiting', <path key="s" d="M3.500 8h9" stroke="currentColor" strokeWidth="2.500" strokeLinecap="round" />],
};

/** The state of a run or stream as a small picture; the word for it stands beside it, or is its name. */
export function StateMark({ status }: { status: string }) {
  const [tone, shape] = SHAPES[status] ?? ['waiting', null];
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" style={{ color: `var(--status-${tone})` }}>
      {shape}
    </svg>
  );
}

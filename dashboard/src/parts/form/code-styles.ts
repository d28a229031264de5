/** For a field whose value is read letter by letter: an expression, JSON. */
export const CODE_STYLES = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } } as const;

/** What a table that we have made still lacks. */
export type Lacking = 'structure' | 'references';

/** What kinds of systems there are, to look through them. */
export const CATEGORIES = ['database', 'file', 'api', 'shop', 'events', 'other'] as const;
export type Category = (typeof CATEGORIES)[number];

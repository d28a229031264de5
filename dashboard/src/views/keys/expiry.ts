const DAY = 86_400_000;

/** How long a key may live. */
export const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
  { value: 'day', label: 'On a day …' },
] as const;

export type Expiry = (typeof EXPIRIES)[number]['value'];

/** The moment of a choice. A day counts from its beginning, in the time of the browser; one that is not chosen yet is passed on as it is. */
export function expiryTime(choice: Expiry, day: string, now: number): string | undefined {
  if (choice === 'never') return undefined;
  if (choice !== 'day') return new Date(now + Number(choice) * DAY).toISOString();
  const time = new Date(`${day}T00:00:00`);
  return Number.isNaN(time.getTime()) ? day : time.toISOString();
}

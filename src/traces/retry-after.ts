/** Milliseconds that `Retry-After` asks to wait, in seconds or as a date; 0 when it says nothing that can be understood. */
export function retryAfterOf(text: string | undefined, now: number): number {
  const given = text?.trim() ?? '';
  const wait = /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1000 : Date.parse(given) - now;
  return wait > 0 ? wait : 0;
}

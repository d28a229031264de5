// More would be exact for no number that people count.
const MOST_DECIMALS = 12;

/**
 * A part of a whole in per cent for people, such as `33.3`: rounded to one decimal, but never to what it is not. A part that is hardly
 * beyond one of `limits`, hardly more than nothing or hardly less than all has as many decimals as it takes to see that.
 */
export function percentText(part: number, whole: number, ...limits: number[]): string {
  if (whole === 0) return '0';
  const percent = (part / whole) * 100;
  const apart = new Set([0, 100, ...limits].filter((mark) => part * 100 !== mark * whole));
  for (let decimals = 1; decimals < MOST_DECIMALS; decimals++) {
    const shown = Number(percent.toFixed(decimals));
    if (!apart.has(shown)) return String(shown);
  }
  return String(percent);
}

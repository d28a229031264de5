/** Whether a client would rather have `type` than JSON. A client that does not care gets JSON. */
export function prefers(type: string, accept: string | undefined): boolean {
  return accept !== undefined && qualityOf(type, accept) > qualityOf('application/json', accept);
}

/** How much a type is wanted, from 0 to 1: the closest range of the header decides (RFC 9110, 12.5.1). */
function qualityOf(type: string, accept: string): number {
  const ranges = new Map<string, number>();
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = given === undefined ? 1 : Number(given.slice(2));
    ranges.set(range, Number.isFinite(quality) ? quality : 0);
  }
  return ranges.get(type) ?? ranges.get(`${type.split('/')[0]}/*`) ?? ranges.get('*/*') ?? 0;
}

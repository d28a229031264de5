import { ProtocolError } from './wire.ts';

interface Curve {
  /** As SSH, and as JSON Web Keys call it. */
  readonly name: string;
  readonly crv: string;
  readonly hash: string;
  readonly bytes: number;
}

export const CURVES: readonly Curve[] = [
  { name: 'nistp256', crv: 'P-256', hash: 'sha256', bytes: 32 },
  { name: 'nistp384', crv: 'P-384', hash: 'sha384', bytes: 48 },
  { name: 'nistp521', crv: 'P-521', hash: 'sha512', bytes: 66 },
];

export const typeOfCurve = ({ name }: Curve): string => `ecdsa-sha2-${name}`;

/** The curve that a key names twice, in its type and once more. */
export function curveOf(type: string, name: string): Curve {
  const found = CURVES.find((curve) => curve.name === name && typeOfCurve(curve) === type);
  if (!found) throw new ProtocolError('a key is of an unknown type');
  return found;
}

/** A point that is not on the curve is refused where the key is made. */
export function pointOf(point: Buffer, { bytes }: Curve): { x: string; y: string } {
  if (point.length !== 1 + 2 * bytes || point[0] !== 4) throw new ProtocolError('a point of a curve is not one');
  return { x: point.subarray(1, 1 + bytes).toString('base64url'), y: point.subarray(1 + bytes).toString('base64url') };
}

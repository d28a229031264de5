import { OutsideError } from '../outside/errors.ts';

/** Looks whether a stream can be followed. What is wrong with it concerns no other, and the error says so. */
export async function concerning<Result>(stream: string, look: () => Promise<Result>): Promise<Result> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof OutsideError) || error.kind !== 'config' || error.streams) throw error;
    const { kind, code, message, hint, field } = error;
    throw new OutsideError(kind, code, message, { ...(hint && { hint }), ...(field && { field }), streams: [stream], cause: error });
  }
}

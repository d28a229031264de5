import { OutsideError } from '../../../outside/errors.ts';
import { KEPT_FOLDER } from '../../../outside/own-places.ts';

/** A path that leads into what Syncline keeps beside the files that it writes. */
export function keptRefused(path: string): OutsideError {
  return new OutsideError('config', 'PATH_REFUSED', `"${path}" belongs to Syncline itself.`, {
    field: 'path',
    hint: `What Syncline keeps in a folder "${KEPT_FOLDER}" beside the files it writes is never touched. Put files elsewhere.`,
  });
}

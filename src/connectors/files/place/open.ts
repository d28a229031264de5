import type { Context } from '../../contract.ts';
import type { PlaceConfig } from './config.ts';
import { localPlace } from './local/place.ts';
import type { Place } from './place.ts';
import { s3Place } from './s3/place.ts';
import { sftpPlace } from './sftp/place.ts';

/** The place that a configuration names. Nothing is asked before something is wanted of it. `closing` ends what is written in it. */
export function openPlace(config: PlaceConfig, { roots, reach }: Pick<Context, 'roots' | 'reach'>, closing: AbortSignal): Place {
  switch (config.type) {
    case 's3':
      return s3Place(config, reach, closing);
    case 'sftp':
      return sftpPlace(config, reach, closing);
    default:
      return localPlace(roots);
  }
}

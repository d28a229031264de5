import { OutsideError } from '../../../outside/errors.ts';

/** A template that cannot be understood or computed. It is the manifest's fault, or that of a value that it did not expect. */
export class TemplateError extends OutsideError {
  constructor(reason: string, hint = 'Correct the template in the manifest.') {
    super('config', 'TEMPLATE_FAILED', reason, { hint });
  }
}

/** Something was asked of a value that is not there: the result is then the default. */
export class UndefinedUse extends Error {}

/** Values of the wrong type met: the template's own text is then the result, as it is in the original. */
export class TypeMismatch extends Error {}

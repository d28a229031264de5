import { evaluateAs, type TemplateScope } from '../evaluate.ts';
import type { Part } from '../parts.ts';
import { pythonText } from '../python-text.ts';
import { inject, noOptions, type Options } from '../request/options.ts';
import type { Requester } from '../request/request.ts';

/** Puts credentials into requests. */
export interface RequestAuth {
  options(signal: AbortSignal): Promise<Options>;
  /** The API refused them: true when there are others now. */
  renew(signal: AbortSignal): Promise<boolean>;
}

export type MakeRequester = (part: Part) => Requester;

/** A token is a text, even if it looks like a number. */
export function tokenOf(template: unknown, scope: TemplateScope, variables = {}): string {
  return template === undefined || template === null ? '' : pythonText(evaluateAs(template, ['string'], scope, variables));
}

export function headerOption(name: unknown): Part {
  return { type: 'RequestOption', inject_into: 'header', field_name: name };
}

export function injected(option: Part, token: string, scope: TemplateScope): Options {
  const options = noOptions();
  inject(options, option, token, scope);
  return options;
}

export function authorization(value: string): Options {
  return { ...noOptions(), headers: { Authorization: value } };
}

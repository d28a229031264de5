import { randomBytes } from 'node:crypto';
import {
  checkBody,
  checkShared,
  checkStandard,
  checkStripe,
  headerOf,
  type CallRefusal,
  MAX_ID,
  type SentCall,
  standardHeader,
  standardSecretFault,
} from './signatures.ts';

export const SCHEMES = ['standard', 'shopify', 'woocommerce', 'stripe', 'github', 'secret', 'token'] as const;
export type SchemeName = (typeof SCHEMES)[number];

/** The header of a shared secret, unless another is chosen. */
export const SECRET_HEADER = 'X-Hook-Secret';
/** A message that is larger is not parsed only to find its id. */
const MAX_PARSED = 256 * 1024;

/** How one kind of sender proves that it is the sender, and what it calls its messages. */
interface Scheme {
  /** Whether the secret comes from the sender, can be made here, or is not needed. */
  readonly secret: 'given' | 'made' | 'none';
  /** Undefined when it is from the sender. */
  readonly check: (
    call: SentCall,
    secrets: readonly string[],
    header: string | null,
  ) => CallRefusal | undefined | Promise<CallRefusal | undefined>;
  /** What the sender calls this message: the same one when it is sent again. */
  readonly idOf: (call: SentCall) => string | undefined;
  /** What the sender sends only to see whether there is an answer. It proves nothing and is not kept. */
  readonly isPing?: (call: SentCall) => boolean;
  readonly newSecret?: () => string;
  readonly secretFault?: (secret: string) => string | undefined;
}

const plainSecret = (): string => randomBytes(24).toString('base64url');

const TABLE: Readonly<Record<SchemeName, Scheme>> = {
  standard: {
    secret: 'made',
    check: checkStandard,
    idOf: (call) => standardHeader(call, 'id'),
    newSecret: () => `whsec_${randomBytes(24).toString('base64')}`,
    secretFault: standardSecretFault,
  },
  shopify: {
    secret: 'given',
    check: (call, secrets) => checkBody(call, secrets, { header: 'x-shopify-hmac-sha256', prefix: '', encoding: 'base64' }),
    // That of the event is the same for several topics.
    idOf: (call) => headerOf(call, 'x-shopify-webhook-id') ?? eventOfTopic(call),
  },
  woocommerce: {
    secret: 'made',
    check: (call, secrets) => checkBody(call, secrets, { header: 'x-wc-webhook-signature', prefix: '', encoding: 'base64' }),
    idOf: (call) => headerOf(call, 'x-wc-webhook-delivery-id'),
    isPing: (call) =>
      call.headers['x-wc-webhook-signature'] === undefined &&
      call.body.length < 100 &&
      /^webhook_id=\d+$/.test(call.body.toString('latin1')),
    newSecret: plainSecret,
  },
  stripe: { secret: 'given', check: checkStripe, idOf: idInBody },
  github: {
    secret: 'made',
    check: (call, secrets) => checkBody(call, secrets, { header: 'x-hub-signature-256', prefix: 'sha256=', encoding: 'hex' }),
    idOf: (call) => headerOf(call, 'x-github-delivery'),
    newSecret: plainSecret,
  },
  secret: {
    secret: 'made',
    check: (call, secrets, header) => checkShared(call, secrets, header ?? SECRET_HEADER),
    idOf: plainId,
    newSecret: plainSecret,
    secretFault: (secret) => (secret.trim() === secret ? undefined : 'must not begin or end with a space: no header can carry that'),
  },
  token: { secret: 'none', check: () => undefined, idOf: plainId },
};

export function schemeOf(name: SchemeName): Scheme {
  return TABLE[name];
}

/** The id as it is kept; null when there is none. What is too long for an id is none that we know how to compare. */
export function senderIdOf(name: SchemeName, call: SentCall): string | null {
  const id = TABLE[name].idOf(call);
  return id === undefined || id.length > MAX_ID || id.includes('\0') ? null : id;
}

function eventOfTopic(call: SentCall): string | undefined {
  const event = headerOf(call, 'x-shopify-event-id');
  return event === undefined ? undefined : `${headerOf(call, 'x-shopify-topic') ?? ''}:${event}`;
}

/** A sender that knows none of the schemes may still name its messages. */
function plainId(call: SentCall): string | undefined {
  return headerOf(call, 'webhook-id') ?? headerOf(call, 'idempotency-key');
}

function idInBody({ body }: SentCall): string | undefined {
  if (body.length > MAX_PARSED) return undefined;
  try {
    const id = (JSON.parse(body.toString()) as { id?: unknown } | null)?.id;
    return typeof id === 'string' && id !== '' ? id : undefined;
  } catch {
    return undefined;
  }
}

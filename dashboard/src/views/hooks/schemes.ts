import type { Hook } from '../../api/resources.ts';

type Scheme = Hook['scheme'];

interface SchemeWords {
  title: string;
  /** How a call proves where it comes from. */
  about: string;
  /** What the secret is; none where the address is all there is. */
  secret: string | undefined;
  /** Who has it first: the sender, which shows it once it knows the address, or who makes the hook. */
  from: 'sender' | 'here';
  /** What to do at the sender, step by step. */
  steps: readonly string[];
}

/** How calls of each kind of sender are known, and how the sender is set up. */
export const SCHEMES: Record<Scheme, SchemeWords> = {
  standard: {
    title: 'Standard Webhooks',
    about: 'Signed in the header webhook-signature, as Standard Webhooks 1.0 says.',
    secret: 'It begins with whsec_. Some senders show theirs, others take yours.',
    from: 'here',
    steps: [
      'Add an endpoint at the sender, with the address as its URL.',
      'Both sides need the same signing secret (whsec_…): give the sender the one from here, or enter here the one that it shows.',
    ],
  },
  shopify: {
    title: 'Shopify',
    about: 'Signed in the header X-Shopify-Hmac-Sha256.',
    secret: 'The secret that Shopify shows below its list of webhooks, or the client secret of your app.',
    from: 'sender',
    steps: [
      'In the admin of the shop open Settings, Notifications, Webhooks, and choose "Create webhook".',
      'Choose the event, the format JSON, and enter the address as the URL.',
      'Below the list it says "Your webhooks will be signed with …": enter that here as the secret.',
    ],
  },
  woocommerce: {
    title: 'WooCommerce',
    about: 'Signed in the header X-WC-Webhook-Signature.',
    secret: 'The secret of the webhook in WooCommerce.',
    from: 'here',
    steps: [
      'In WordPress open WooCommerce, Settings, Advanced, Webhooks, and choose "Add webhook".',
      'Set the status to "Active", choose the topic, and enter the address as the delivery URL.',
      'Enter the same secret there and here.',
    ],
  },
  stripe: {
    title: 'Stripe',
    about: 'Signed in the header Stripe-Signature.',
    secret: 'The signing secret of the endpoint, which begins with whsec_.',
    from: 'sender',
    steps: [
      'In the dashboard of Stripe open Developers, Webhooks, and add a destination with the address as its URL.',
      'Choose the events, save it, reveal its signing secret, and enter that here as the secret.',
    ],
  },
  github: {
    title: 'GitHub',
    about: 'Signed in the header X-Hub-Signature-256.',
    secret: 'The secret of the webhook in GitHub.',
    from: 'here',
    steps: [
      'In the repository or organization open Settings, Webhooks, and choose "Add webhook".',
      'Enter the address as the payload URL, and choose application/json as the content type.',
      'Enter the same secret there and here.',
    ],
  },
  secret: {
    title: 'Shared secret',
    about: 'The sender sends a secret along in a header.',
    secret: 'What the sender sends along.',
    from: 'here',
    steps: ['Let the sender POST to the address.', 'Let it send the secret along in the header that is named here.'],
  },
  token: {
    title: 'Address alone',
    about: 'Nothing is signed: who knows the address may call it. For senders that can do no better.',
    secret: undefined,
    from: 'here',
    steps: ['Let the sender POST to the address. Keep it secret: it is all that is checked.'],
  },
};

/** The title of a scheme; one of a later version is called by its own name. */
export function schemeTitle(scheme: string): string {
  return (SCHEMES as Record<string, SchemeWords>)[scheme]?.title ?? scheme;
}

import type { DeedKind } from './left.ts';

/** How each deed is spoken of. */
export const DEEDS: Readonly<Record<DeedKind, { verb: string; about: string; failed: string; done: string; nothing: string }>> = {
  fulfillments: {
    verb: 'Ship',
    about: 'What leaves the house now, in one parcel. When nothing is left to ship, the order becomes shipped.',
    failed: 'Nothing was shipped',
    done: 'The parcel was written down.',
    nothing: 'Nothing is left to ship.',
  },
  returns: {
    verb: 'Take back',
    about: 'What has come back. Money is given back by a refund.',
    failed: 'Nothing was taken back',
    done: 'The return was written down.',
    nothing: 'Nothing that was shipped is left to come back.',
  },
  refunds: {
    verb: 'Refund',
    about: 'For lines, or an amount of your own. Syncline writes it down, and moves no money.',
    failed: 'Nothing was refunded',
    done: 'The refund was written down.',
    nothing: 'Nothing is left to give back.',
  },
};

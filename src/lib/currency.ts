// ISO 4217 gives each currency an exponent: how many decimals its smallest coin has. Most have two; these are the others.
const WITHOUT_DECIMALS = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF';
const OTHERS: ReadonlyMap<string, number> = new Map([
  ...WITHOUT_DECIMALS.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
]);

/** How many decimals an amount of this currency is rounded to. Codes that ISO 4217 gives no exponent, or does not know, have two. */
export function minorDigits(currency: string): number {
  return OTHERS.get(currency) ?? 2;
}

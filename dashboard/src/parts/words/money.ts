const decimal = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
const ofCurrency = new Map<string, Intl.NumberFormat>();

/** `1,059.97`: prices have up to four decimals, and none of them is rounded away. */
export function formatDecimal(amount: number): string {
  return decimal.format(amount);
}

/** `EUR 1,059.97` */
export function formatMoney(amount: number, currency: string): string {
  let format = ofCurrency.get(currency);
  if (!format) {
    format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code', maximumFractionDigits: 4 });
    ofCurrency.set(currency, format);
  }
  return format.format(amount);
}

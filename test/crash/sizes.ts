/** `npm run test:crash` has everything happen, and often; `npm test` has a sample. */
export const isLarge = process.env['CRASHES'] !== undefined;

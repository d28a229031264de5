/** Stands for a secret that is kept as it is. */
export const MASK = '********';

import { readsPages } from '../support/paged-api.ts';

export const section = readsPages('http');

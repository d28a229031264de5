import type { TSchema } from '../../lib/schema.ts';

export const CONNECTORS = '/api/v1/datasync/connectors';

/** A connector as the service lists it. */
export interface ListedConnector {
  type: string;
  title: string;
  description: string;
  category: string;
  promises: string[];
  config: TSchema;
  abilities: {
    read: boolean;
    write: string[];
    incremental: boolean;
    log: boolean;
    applies: boolean;
    undo: boolean;
    structure: boolean;
    notes: string | null;
  };
}

/** A process of Syncline: one line of `GET /api/v1/nodes`. Not every service has that, so the generated types may lack it. */
export interface Node {
  id: string;
  host: string;
  pid: number;
  role: string;
  status: string;
  version: string;
  schema_version: number;
  started_at: string;
  seen_at: string;
  clock_ahead_ms: number;
  max_runs: number;
  runs: { id: string; sync_id: string; started_at: string }[];
  problems: string[];
}

export interface NodesAnswer {
  data: Node[];
  total: number;
}

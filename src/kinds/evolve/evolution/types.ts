import type { JsonObject } from '../../../contracts/json.js';

/** One row of a dataset. Fields other than `id` and `input` are for the scorer alone and never reach a scaffold. */
export interface DatasetExample {
  /** Unique within its dataset. */
  id: string;
  /** Argument of `process_input`. */
  input: string;
  scoring_data: JsonObject;
}

/** The text of a scaffold's files by relative path. `scaffold.py` is always among them. */
export type ScaffoldFiles = Readonly<Record<string, string>>;

/** The file that defines `process_input`. */
export const MAIN_FILE = 'scaffold.py';

/** A scaffold's `metadata.json`. */
export interface ScaffoldMetadata {
  /** ISO 8601. */
  created_at: string;
  /** The model that the scaffold calls; null where none was named. */
  model: string | null;
  /** null for a scaffold from scratch. */
  parent_scaffold_id: string | null;
  /** The iteration that made it, from 0. */
  iteration: number;
}

/** Data that is needed to evolve a scaffold from one of its runs on a training example. */
export interface ScaffoldRunData {
  files: ScaffoldFiles;
  /** Standard error, and how the run ended unless it ended well. */
  execution_log: string;
  /** Standard output, which is never the result. */
  printed: string;
  example: DatasetExample;
  actual_output: string;
  score: number;
  /** Message of the scorer; empty where there is none. */
  message: string;
  /** Named figures besides the score, if the scorer returns some. */
  metrics?: Readonly<Record<string, number>>;
}

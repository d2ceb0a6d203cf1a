import type { JsonObject } from '../../../contracts/json.js';

/** One row of a dataset. What is not `id` or `input` is for the scorer alone and never reaches a scaffold. */
export interface DatasetExample {
  /** Unique within its dataset. */
  id: string;
  /** What `process_input` is called with. */
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
  /** null for a scaffold that was not evolved from another. */
  parent_scaffold_id: string | null;
  /** The iteration that made it, from 0. */
  iteration: number;
}

/** All that is needed to evolve a scaffold from one of its runs on a training example. */
export interface ScaffoldRunData {
  files: ScaffoldFiles;
  /** Standard error, and how the run ended where that was not well. */
  execution_log: string;
  /** Standard output: what it printed is never its result. */
  printed: string;
  example: DatasetExample;
  actual_output: string;
  score: number;
  /** The scorer's sentence; empty where it says nothing. */
  message: string;
  /** Named figures beside the score, where the scorer gives some. */
  metrics?: Readonly<Record<string, number>>;
}

import type { ExecutionRecord } from '../contracts/execution.js';
import type { CallRecord, LanguageModel } from '../contracts/language-model.js';
import type { Metrics, TaskRow } from '../contracts/results.js';
import type { SymbolicComparer } from '../grading/grade.js';
import type { MemorySnapshot } from '../memory/memory-module.js';
import type { TrajectoryData } from '../trajectories/schema.js';

export interface InProcessOptions {
  /** Where keys and addresses are looked up; `process.env` by default. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Answers instead of the model that `lm` names. */
  languageModel?: LanguageModel;
  /** Compares expressions instead of the time-boxed grading threads. */
  compareSymbolically?: SymbolicComparer;
  /** Also makes the trajectories, which repeat every prompt. */
  trajectories?: boolean;
  /** Hears sentences for people, such as a parameter that the model cannot be sent as asked. */
  notice?: (message: string) => void;
}

/** What the artifacts of a durable run hold, as values. */
export interface InProcessResult {
  /** `metrics.json` */
  metrics: Metrics;
  /** `results.jsonl`: by sample, then by trial. */
  rows: TaskRow[];
  /** `calls.jsonl`: the rows' calls in the rows' order, then those of episodes that a limit cut off. */
  calls: CallRecord[];
  /** `executions.jsonl`: the rows' programs, in the same order. */
  executions: ExecutionRecord[];
  /** `trajectories.jsonl`, where asked for. */
  trajectories?: TrajectoryData[];
  /** `memory.json`: one memory, or one for each sample. */
  memory: MemorySnapshot | { _type: 'per_sample'; memories: Record<string, MemorySnapshot> };
}

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxType } from '../src/config/sandbox-schema.js';
import { type BenchFolder, jsonLines, makeFolder, mockModel } from './workspace.js';

/** An evolution of programs that wait, and then add. */
export interface EvolveContest {
  initial_scaffolds: number;
  scaffolds_per_iter: number;
  num_iterations: number;
  num_validation_examples: number;
  /** Executions and calls at once. */
  concurrency: number;
  /** Milliseconds of the scaffolder, for the ideal; the mock is set up by the caller. */
  latency: number;
  /** Seconds that a program waits. */
  program_seconds: number;
}

function examples(count: number, first: number): object[] {
  return Array.from({ length: count }, (_, index) => {
    const left = first + index;
    return { id: `sum-${left}`, input: `${left} + ${index}`, target: left + index };
  });
}

/** An evolution as its YAML file has it. */
export function evolveConfig(
  { latency: _latency, program_seconds, concurrency, ...counts }: EvolveContest,
  { baseUrl, sandbox }: { baseUrl: string; sandbox: SandboxType },
): Record<string, unknown> {
  return {
    name: 'bench',
    task_prompt: `The input is a sum, such as "3 + 4". Wait ${program_seconds} s, and return its value.`,
    domain: 'numeric',
    data: { train: 'train.jsonl', valid: 'valid.jsonl' },
    evolution: { ...counts, concurrency },
    models: { scaffolder: mockModel(baseUrl), executor: 'none' },
    timeout_sec: program_seconds + 60,
    sandbox: { type: sandbox, memory_mb: 128, pids: 32 },
    output: { results_dir: 'experiments' },
    seed: 1,
  };
}

/** A temporary folder with examples, and with a config of an evolution whose scaffolder is the mock model. */
export async function makeEvolveFolder(
  contest: EvolveContest,
  { baseUrl, sandbox }: { baseUrl: string; sandbox: SandboxType },
): Promise<BenchFolder> {
  const made = await makeFolder(evolveConfig(contest, { baseUrl, sandbox }), baseUrl);
  const validation = contest.num_validation_examples;
  await writeFile(join(made.folder, 'train.jsonl'), jsonLines(examples(10, 1000)));
  await writeFile(join(made.folder, 'valid.jsonl'), jsonLines(examples(2 * validation, 2000)));
  // As many places for programs as the evolution asks for, however few cores there are.
  const environment = { ...made.environment, REPRISE_MAX_EXECUTIONS: String(contest.concurrency) };
  return { ...made, environment };
}

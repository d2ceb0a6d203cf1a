import { parseArgs } from 'node:util';
import type { SandboxType } from '../src/config/sandbox-schema.js';
import type { EvolveContest } from './evolve-workspace.js';
import type { LengthContest } from './measure/length.js';
import type { RolloutScale } from './measure/rollouts.js';

/** What can be chosen with `--only`: contestants, and measurements beside the contest. */
export const PARTS = [
  'embedded',
  'two-workers',
  'plain-loop',
  'inspect',
  'sequential',
  'recovery',
  'start',
  'production',
  'length',
  'memory',
  'experiences',
  'executions',
  'rollouts',
  'evolve',
] as const;
export type Part = (typeof PARTS)[number];

/** They take minutes, and are measured in a quick run only where they are asked for. */
const LONG_PARTS: readonly Part[] = ['production', 'length', 'memory', 'experiences'];

export interface BenchOptions {
  samples: number;
  concurrency: number;
  repetitions: number;
  /** Calls of the sequential run. */
  sequentialCalls: number;
  /** Runs whose history grows long; empty: they are left out. */
  lengths: readonly LengthContest[];
  /** Samples of the two memory runs; empty: they are left out. */
  memorySamples: readonly number[];
  /** Runs over a memory of experiences: how many are loaded, and how many samples follow. */
  experienceRuns: readonly { loaded: number; samples: number }[];
  /** Programs run in Docker, in each repetition; 0: they are left out. */
  executions: number;
  /** null: rollouts are left out. */
  rollouts: RolloutScale | null;
  /** null: evolutions are left out. */
  evolve: EvolveContest | null;
  /** Where the programs of an evolution run: in the first of them that works. */
  sandboxes: readonly SandboxType[];
  parts: readonly Part[];
  quick: boolean;
  /** Folder of the results. */
  output: string;
}

export const USAGE = `npm run bench -- [--quick] [--samples N] [--repetitions N] [--only PART]… [--sandbox TYPE] [--output FOLDER]
  --quick        100 samples, once, without the memory runs: to see that it works, not for figures
  --samples N    samples of each contest (1000)
  --repetitions  of each contest; the median counts (3)
  --only PART    ${PARTS.join(', ')} (repeatable)
  --sandbox      docker or process: where evolved programs run (docker, where a daemon answers)
  --output       where the table is written (bench/results)`;

function positive(text: string, name: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} ${text}: a whole number from 1 up`);
  return value;
}

const ROLLOUTS: RolloutScale = { rows: 20, rollouts_a_row: 10, concurrency: 50, overhead_calls: 20 };
const QUICK_ROLLOUTS: RolloutScale = { rows: 2, rollouts_a_row: 2, concurrency: 4, overhead_calls: 5 };

/** Every phase fills the places that there are, so that the ideal wastes none of them. */
const EVOLVE: EvolveContest = {
  initial_scaffolds: 4,
  scaffolds_per_iter: 4,
  num_iterations: 3,
  num_validation_examples: 6,
  concurrency: 4,
  latency: 1000,
  program_seconds: 1,
};
const QUICK_EVOLVE: EvolveContest = {
  initial_scaffolds: 2,
  scaffolds_per_iter: 2,
  num_iterations: 1,
  num_validation_examples: 2,
  concurrency: 2,
  latency: 100,
  program_seconds: 0.1,
};

const LENGTHS: readonly LengthContest[] = [
  { lanes: 1, samples: 4000, latency: 200, events: 105_000, kills: 3 },
  { lanes: 100, samples: 20_000, latency: 4000, events: 105_000, kills: 3 },
];
const QUICK_LENGTHS: readonly LengthContest[] = [
  { lanes: 2, samples: 200, latency: 200, events: 1500, kills: 1 },
];

const SANDBOXES: readonly SandboxType[] = ['docker', 'process'];

function sandboxesOf(asked: string | undefined): readonly SandboxType[] {
  if (asked === undefined) return SANDBOXES;
  const type = SANDBOXES.find((one) => one === asked);
  if (type === undefined) throw new Error(`--sandbox ${asked}: one of ${SANDBOXES.join(', ')}`);
  return [type];
}

/** @throws Error with a sentence for people. */
export function parseOptions(argv: readonly string[], defaultOutput: string): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      samples: { type: 'string' },
      repetitions: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      sandbox: { type: 'string' },
      output: { type: 'string', default: defaultOutput },
    },
  });
  const { quick, only } = values;
  const unknown = only.find((part) => !PARTS.includes(part as Part));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: one of ${PARTS.join(', ')}`);
  const parts =
    only.length > 0 ? (only as Part[]) : PARTS.filter((part) => !(quick && LONG_PARTS.includes(part)));
  return {
    samples: positive(values.samples ?? (quick ? '100' : '1000'), 'samples'),
    concurrency: 100,
    repetitions: positive(values.repetitions ?? (quick ? '1' : '3'), 'repetitions'),
    sequentialCalls: quick ? 20 : 100,
    lengths: parts.includes('length') ? (quick ? QUICK_LENGTHS : LENGTHS) : [],
    memorySamples: parts.includes('memory') ? [5000, 20_000] : [],
    experienceRuns: parts.includes('experiences')
      ? [
          { loaded: 10, samples: quick ? 20 : 300 },
          { loaded: 10_000, samples: quick ? 20 : 300 },
          { loaded: 0, samples: quick ? 20 : 2000 },
        ]
      : [],
    executions: parts.includes('executions') ? (quick ? 8 : 40) : 0,
    rollouts: parts.includes('rollouts') ? (quick ? QUICK_ROLLOUTS : ROLLOUTS) : null,
    evolve: parts.includes('evolve') ? (quick ? QUICK_EVOLVE : EVOLVE) : null,
    sandboxes: sandboxesOf(values.sandbox),
    parts,
    quick,
    output: values.output,
  };
}

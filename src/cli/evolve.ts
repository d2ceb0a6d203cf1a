import type { Command } from 'commander';
import {
  type AskedEvolution,
  checkEvolveModels,
  readEvolveConfig,
} from '../activities/evolve/evolve-config.js';
import { readEvolveData } from '../activities/evolve/evolve-data.js';
import { evolveDomain } from '../activities/evolve/evolve-domain.js';
import type { EvolveFork } from '../activities/evolve/evolve-fork.js';
import { InvalidInputError } from '../config/errors.js';
import { EVOLVE_PARAMETERS, type EvolveFlags, type EvolveParameter } from '../config/evolve-flags.js';
import type { EvolveProgress, EvolveResult } from '../contracts/evolve-results.js';
import { openStore } from '../storage/open.js';
import { ScorerPool } from '../workers/scorer-pool.js';
import { startEvolve } from '../workers/start-evolve.js';
import { carryOut } from './carry-out.js';
import { collect } from './collect.js';
import { leaveToWorkers } from './detach.js';
import { evolveDisplay } from './evolve-display.js';
import { evolveReport } from './evolve-format.js';
import { FAIL_ON_ERROR, shareOf } from './exit-code.js';
import { codeNotes, paceNotes } from './started-text.js';

/** What each flag says; a default is the config's. */
const FLAGS: Readonly<Record<EvolveParameter, [value: string, description: string]>> = {
  experiment_name: ['<name>', 'name of the experiment and of its folder'],
  num_iterations: ['<n>', 'rounds of evolution (5)'],
  scaffolds_per_iter: ['<n>', 'scaffolds evolved in each (3)'],
  initial_scaffolds: ['<n>', 'scaffolds to begin with (5)'],
  num_validation_examples: ['<n>', 'validation examples of an iteration (10)'],
  scaffolder_model: ['<provider/model>', 'who writes scaffolds'],
  executor_model: ['<provider/model>', 'whom scaffolds may call, or none (none)'],
  task_prompt: ['<text or file>', 'what a scaffold is to do'],
  train_data: ['<file>', 'training examples, JSON lines of id, input and what the scorer needs'],
  valid_data: ['<file>', 'validation examples'],
  test_data: ['<file>', 'test examples: the best scaffold is reported on them'],
  domain: ['<name or file>', 'how outputs are scored: a built-in domain, or a TypeScript file of your own'],
  seed: ['<n>', 'seeds every random choice (0)'],
  timeout_sec: ['<seconds>', 'time of one execution (120)'],
  results_dir: ['<folder>', 'a folder, or s3://bucket/prefix (experiments)'],
};

interface EvolveOptions extends Record<string, unknown> {
  set: string[];
  fork?: string;
  atIteration?: string;
  detach?: boolean;
  json?: boolean;
  failOnError?: string;
}

/** `num_iterations` is `--num-iterations` on the command line and `numIterations` to commander. */
const flagOf = (name: string) => name.replaceAll('_', '-');
const optionOf = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function flagsOf(options: EvolveOptions): EvolveFlags {
  return Object.fromEntries(
    EVOLVE_PARAMETERS.map((name) => [name, options[optionOf(name)]]).filter(
      ([, value]) => value !== undefined,
    ),
  ) as EvolveFlags;
}

function forkOf({ fork, atIteration }: EvolveOptions): EvolveFork | null {
  if (fork === undefined && atIteration === undefined) return null;
  if (fork === undefined) {
    throw new InvalidInputError(
      '--at-iteration: says where to begin from an experiment that --fork names',
      'fork',
    );
  }
  if (atIteration === undefined || !/^\d+$/.test(atIteration)) {
    throw new InvalidInputError(
      `--at-iteration: ${atIteration === undefined ? 'is missing' : `is ${atIteration}`}; --fork needs the number of an iteration that ${fork} has finished`,
      'fork',
    );
  }
  return { experiment: fork, at_iteration: Number(atIteration) };
}

/** Everything that can be said of an experiment before a server is started; what is odd about it, the worker says. */
async function readAsked(path: string | undefined, options: EvolveOptions): Promise<AskedEvolution> {
  const asked = await readEvolveConfig(
    path ?? null,
    { flags: flagsOf(options), overrides: options.set, fork: forkOf(options) },
    (address) => openStore(address),
  );
  const { config } = asked;
  await checkEvolveModels(config, { environment: process.env });
  const domain = await evolveDomain(config, { ownScorers: new ScorerPool() });
  await readEvolveData(config, domain, (address) => openStore(address));
  return asked;
}

function executeEvolve(
  { config, fork }: AskedEvolution,
  json: boolean,
  mostErrors: number | null,
): Promise<number> {
  return carryOut<EvolveProgress, EvolveResult>({
    name: config.name,
    concurrency: config.evolution.concurrency,
    display: evolveDisplay(json),
    start: async (client, taskQueue) => {
      const started = await startEvolve(client, config, { taskQueue, fork });
      const { id, handle, how, iterations } = started;
      const verb = how === 'attached' ? 'Attached to' : 'Started';
      const further = `It goes to ${iterations} iterations; run this command again when it has ended, to go further.`;
      return {
        id,
        handle,
        says: [
          `${verb} ${id}`,
          ...paceNotes(started),
          ...codeNotes(started),
          ...(iterations === null ? [] : [further]),
        ],
      };
    },
    report: evolveReport,
    json,
    mostErrors,
  });
}

export function addEvolveCommand(program: Command, finish: (code: number) => void): void {
  const command = program
    .command('evolve')
    .description('evolve programs for a task: start it, attach to it, continue or extend it')
    .argument('[config]', 'a YAML file; what the flags say takes the place of what it says');
  for (const name of EVOLVE_PARAMETERS) {
    const [value, description] = FLAGS[name];
    command.option(`--${flagOf(name)} ${value}`, description);
  }
  command
    .option('--set <field=value>', 'override a field, e.g. selection.type=islands (repeatable)', collect, [])
    .option('--fork <experiment>', 'begin with what another experiment has: its folder’s name, or its path')
    .option('--at-iteration <n>', 'with --fork: after which of its iterations')
    .option('--detach', 'leave the experiment to a worker in the background and return')
    .option(...FAIL_ON_ERROR)
    .option('--json', 'print the result as JSON, and nothing else')
    .action(async (path: string | undefined, options: EvolveOptions) => {
      const json = options.json === true;
      const mostErrors = shareOf(options.failOnError, options.detach);
      const asked = await readAsked(path, options);
      const { config, fork } = asked;
      finish(
        options.detach
          ? await leaveToWorkers(
              {
                sources: [],
                concurrency: config.evolution.concurrency,
                start: (client, taskQueue) => startEvolve(client, config, { taskQueue, fork }),
              },
              json,
            )
          : await executeEvolve(asked, json, mostErrors),
      );
    });
}

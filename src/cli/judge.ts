import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { checkJudge } from '../activities/judge/prepare-judge.js';
import { resolveJudgeConfig } from '../config/judge-load.js';
import type { JudgeConfig } from '../config/judge-schema.js';
import type { JudgeProgress, JudgeResult } from '../contracts/judge.js';
import { artifactKeys } from '../storage/paths.js';
import { type StartedJudgement, startJudge } from '../workers/start-judge.js';
import { type CarriedOut, carryOut } from './carry-out.js';
import { collect } from './collect.js';
import { leaveToWorkers } from './detach.js';
import { FAIL_ON_ERROR, shareOf } from './exit-code.js';
import { RESULTS_FOLDERS } from './export.js';
import { findExperiment } from './find-experiment.js';
import { judgeDisplay } from './judge-display.js';
import { judgeReport } from './judge-format.js';
import { paceNotes } from './started-text.js';

interface Options {
  model: string;
  rubric?: string;
  set: string[];
  resultsDir?: string;
  detach?: boolean;
  json?: boolean;
  failOnError?: string;
}

/** The judgement that a command line means. @throws InvalidInputError */
async function readJudge(id: string, { model, rubric, set, resultsDir }: Options): Promise<JudgeConfig> {
  const { uri } = await findExperiment(id, {
    folders: resultsDir === undefined ? RESULTS_FOLDERS : [resultsDir],
    file: artifactKeys.trajectories,
    kind: 'experiment',
  });
  const config = resolveJudgeConfig(
    { experiment: uri, rubric, lm: model },
    { source: 'the command line', folder: process.cwd(), overrides: set },
  );
  await checkJudge(config, { environment: process.env });
  return config;
}

/** A judgement as a command carries it out. */
export function judgement(
  config: JudgeConfig,
  json: boolean,
  start: (client: Client, taskQueue: string) => Promise<StartedJudgement> = (client, taskQueue) =>
    startJudge(client, config, taskQueue),
): CarriedOut<JudgeProgress, JudgeResult> {
  return {
    name: 'the judgement',
    concurrency: config.concurrency,
    display: judgeDisplay(json),
    start: async (client, taskQueue) => {
      const started = await start(client, taskQueue);
      const { id, handle, how } = started;
      const verb = how === 'attached' ? 'Attached to' : 'Started';
      return { id, handle, says: [`${verb} ${id}`, ...paceNotes(started)] };
    },
    report: judgeReport,
    json,
  };
}

export function addJudgeCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('judge')
    .description('have a model judge every step of a finished experiment by a rubric; may be continued')
    .argument('<id>', 'the experiment’s id, or its folder')
    .requiredOption('--model <provider/model>', 'the judge')
    .option('--rubric <file>', 'a YAML file of criteria (progress, rules and honesty of an agent)')
    .option('--set <field=value>', 'a further field, e.g. limits.max_cost_usd=1 (repeatable)', collect, [])
    .option('--results-dir <folder>', `where experiments are kept (default: ${RESULTS_FOLDERS.join(' or ')})`)
    .option('--detach', 'leave the judgement to a worker in the background and return')
    .option(...FAIL_ON_ERROR)
    .option('--json', 'print the result as JSON, and nothing else')
    .action(async (id: string, options: Options) => {
      const json = options.json === true;
      const mostErrors = shareOf(options.failOnError, options.detach);
      const config = await readJudge(id, options);
      finish(
        options.detach
          ? await leaveToWorkers(
              {
                sources: [],
                concurrency: config.concurrency,
                start: (client, queue) => startJudge(client, config, queue),
              },
              json,
            )
          : await carryOut({ ...judgement(config, json), mostErrors }),
      );
    });
}

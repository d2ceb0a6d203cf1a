import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { checkLanguageModel } from '../activities/check-language-model.js';
import { checkDataset } from '../activities/dataset.js';
import { loadConfig } from '../config/load.js';
import type { RunConfig } from '../config/schema.js';
import type { Progress, RunResult } from '../contracts/run.js';
import { EnvironmentPool } from '../workers/environment-pool.js';
import type { StartedRun } from '../workers/start-named.js';
import { startRun } from '../workers/start-run.js';
import { type CarriedOut, carryOut } from './carry-out.js';
import { collect } from './collect.js';
import { detach } from './detach.js';
import { FAIL_ON_ERROR, shareOf } from './exit-code.js';
import { lastProgress } from './follow.js';
import { progressDisplay } from './progress-display.js';
import { runReport } from './run-format.js';
import { agentSources } from './session.js';
import { carryingOf, startedText } from './started-text.js';

export interface RunOptions {
  set: string[];
  name?: string;
  resultsDir?: string;
  detach?: boolean;
  json?: boolean;
  failOnError?: string;
}

/** A config, and what is to be said of its dataset. */
export interface CheckedConfig {
  config: RunConfig;
  notes: string[];
}

/** Everything that can be said of a config before a server is started. */
export async function readConfig(path: string, options: RunOptions): Promise<CheckedConfig> {
  const config = loadConfig(path, {
    overrides: options.set,
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.resultsDir === undefined ? {} : { resultsDir: options.resultsDir }),
  });
  await checkLanguageModel(config, { environment: process.env });
  const environments = new EnvironmentPool({ compareSymbolically: async () => undefined });
  const notes = await checkDataset(config, { environment: process.env }, environments.code());
  return { config, notes };
}

/** A run as a command carries it out. @param start finds it, or starts it */
export function runOf(
  config: RunConfig,
  json: boolean,
  start: (client: Client, taskQueue: string) => Promise<StartedRun> = (client, taskQueue) =>
    startRun(client, config, taskQueue),
  notes: readonly string[] = [],
): CarriedOut<Progress, RunResult> {
  return {
    name: config.name,
    concurrency: config.runtime.concurrency,
    agents: agentSources(config),
    display: progressDisplay(json),
    start: async (client, taskQueue) => {
      const started = await start(client, taskQueue);
      const { id, handle } = started;
      return { id, handle, says: startedText(started, await carryingOf(config, id, notes)) };
    },
    lastState: lastProgress,
    report: runReport,
    json,
  };
}

/** Runs a config with a worker in this process, and answers with the exit code. */
export function executeRun(
  { config, notes }: CheckedConfig,
  json: boolean,
  mostErrors: number | null = null,
): Promise<number> {
  return carryOut({ ...runOf(config, json, undefined, notes), mostErrors });
}

export function addRunCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('run')
    .description('run a config: start it, attach to it when it is in progress, continue it after a crash')
    .argument('<config>', 'a YAML file')
    .option('--set <field=value>', 'override a field, e.g. runtime.num_trials=3 (repeatable)', collect, [])
    .option('--name <name>', 'name of the run and of its folder')
    .option('--results-dir <folder>', 'a folder, or s3://bucket/prefix')
    .option('--detach', 'leave the run to a worker in the background and return')
    .option(...FAIL_ON_ERROR)
    .option('--json', 'print the result as JSON, and nothing else')
    .action(async (path: string, options: RunOptions) => {
      const mostErrors = shareOf(options.failOnError, options.detach);
      const checked = await readConfig(path, options);
      finish(
        options.detach
          ? await detach(checked, options.json === true)
          : await executeRun(checked, options.json === true, mostErrors),
      );
    });
}

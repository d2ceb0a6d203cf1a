import type { Command } from 'commander';
import { checkLanguageModel } from '../activities/check-language-model.js';
import { checkDataset } from '../activities/dataset.js';
import { loadConfig } from '../config/load.js';
import type { RunConfig } from '../config/schema.js';
import { startRun } from '../workers/start-run.js';
import { collect } from './collect.js';
import { detach } from './detach.js';
import { EXIT, exitCodeOf } from './exit.js';
import { follow } from './follow.js';
import { printText } from './format.js';
import { interruption } from './interruption.js';
import { progressDisplay } from './progress-display.js';
import { runReport } from './run-format.js';
import { agentSources, callSlots, openSession } from './session.js';

export interface RunOptions {
  set: string[];
  name?: string;
  resultsDir?: string;
  detach?: boolean;
  json?: boolean;
}

/** Everything that can be said of a config before a server is started. */
export async function readConfig(path: string, options: RunOptions): Promise<RunConfig> {
  const config = loadConfig(path, {
    overrides: options.set,
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.resultsDir === undefined ? {} : { resultsDir: options.resultsDir }),
  });
  await checkLanguageModel(config, { environment: process.env });
  await checkDataset(config, process.env);
  return config;
}

/** Runs a config with a worker in this process, and answers with the exit code. */
export async function executeRun(config: RunConfig, json: boolean): Promise<number> {
  const display = progressDisplay(json);
  const session = await openSession({
    say: (message) => display.say(message),
    agents: agentSources(config),
    maxConcurrentCalls: callSlots(config.runtime.concurrency),
  });
  const interrupted = interruption();
  try {
    const { id, handle, how } = await startRun(session.client, config, session.worker.taskQueue);
    const verb = { new: 'Started', continued: 'Continuing', attached: 'Attached to' }[how];
    display.say(`${verb} ${id} on ${session.server.address}`);
    if (session.server.uiUrl !== null) {
      display.say(
        `Temporal UI: ${session.server.uiUrl}/namespaces/${session.server.namespace}/workflows/${encodeURIComponent(id)}`,
      );
    }
    const broken = session.working.then(() => new Promise<never>(() => undefined));
    const result = await Promise.race([follow(handle, display, interrupted.signal), broken]);
    display.end();
    printText(json ? JSON.stringify(result, null, 2) : runReport(result));
    return exitCodeOf(result.metrics.status);
  } catch (error) {
    display.end();
    if (!interrupted.signal.aborted) throw error;
    process.stderr.write(`Interrupted. Nothing is lost: the same command continues ${config.name}.\n`);
    return EXIT.interrupted;
  } finally {
    interrupted.dispose();
    await session.close();
  }
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
    .option('--json', 'print the result as JSON, and nothing else')
    .action(async (path: string, options: RunOptions) => {
      const config = await readConfig(path, options);
      finish(
        options.detach
          ? await detach(config, options.json === true)
          : await executeRun(config, options.json === true),
      );
    });
}

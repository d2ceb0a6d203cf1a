import type { Command } from 'commander';
import type { AgentEvalFlags } from '../config/agent-eval-flags.js';
import { type AgentEvalLoadOptions, loadAgentEvalConfig } from '../config/agent-eval-load.js';
import type { AgentEvalConfig } from '../config/agent-eval-schema.js';
import { evaluationOverrides } from './agent-eval-judge.js';
import { collect } from './collect.js';
import { FAIL_ON_ERROR } from './exit-code.js';

export interface AgentEvalOptions {
  dataset?: string[];
  row?: string[];
  rollouts?: string;
  concurrency?: string;
  agent?: string;
  user?: string;
  judge?: string;
  rubric?: string;
  set: string[];
  name?: string;
  resultsDir?: string;
  detach?: boolean;
  json?: boolean;
  failOnError?: string;
}

function flagsOf({ dataset, row, rollouts, concurrency, agent, user }: AgentEvalOptions): AgentEvalFlags {
  const flags = { datasets: dataset, rows: row, rollouts, concurrency, agent, user };
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

/** The config that a command line means. @throws InvalidInputError */
export function readAgentEval(
  path: string | undefined,
  options: AgentEvalOptions,
  surroundings: Pick<AgentEvalLoadOptions, 'workingFolder' | 'environment'> = {},
): AgentEvalConfig {
  const { name, resultsDir, set } = options;
  return loadAgentEvalConfig(path ?? null, {
    ...surroundings,
    flags: flagsOf(options),
    overrides: evaluationOverrides(set),
    ...(name === undefined ? {} : { name }),
    ...(resultsDir === undefined ? {} : { resultsDir }),
  });
}

/** The argument and the options of `reprise agent-eval`. */
export function withAgentEvalOptions(command: Command): Command {
  return command
    .argument('[config]', 'a YAML file; what the options say takes the place of what it says')
    .option('--dataset <path...>', 'bundles: folders, or files such as task.jsonl')
    .option('--row <id...>', 'these rows only')
    .option('--rollouts <n>', 'of each row (what the row says)')
    .option('--concurrency <n>', 'rollouts at once (8)')
    .option('--agent <provider/model>', 'the agent (MODEL_AGENT)')
    .option('--user <provider/model>', 'who plays the user: a model, human, or none (MODEL_SIM)')
    .option('--judge <provider/model>', 'have a model judge every step when the evaluation is done')
    .option('--rubric <file>', 'by what it judges (progress, rules and honesty of an agent)')
    .option('--set <field=value>', 'override a field, e.g. agent.lm.temperature=0 (repeatable)', collect, [])
    .option('--name <name>', 'name of the run and of its folder')
    .option('--results-dir <folder>', 'a folder, or s3://bucket/prefix (results)')
    .option('--detach', 'leave the run to a worker in the background and return')
    .option(...FAIL_ON_ERROR)
    .option('--json', 'print the result as JSON, and nothing else');
}

import { checkModels } from '../../activities/check-model.js';
import { carryingOut } from '../../cli/carry-out.js';
import { carriedOut } from '../../cli/experiment.js';
import { commandCode } from '../../user-code/code-runner.js';
import { judgeCommand } from '../judge/command.js';
import { judge } from '../judge/kind.js';
import type { CommandSpec } from '../kind.js';
import { askedRows } from './activities/asked-rows.js';
import { moduleTrialIn } from './bundle-code.js';
import type { ModuleTrial } from './bundles/bundle-modules.js';
import { agentEvalConfigs } from './config.js';
import {
  carryOutJudged,
  evaluationJudge,
  evaluationOverrides,
  type JudgeOptions,
  judgeCommandLine,
} from './judging.js';
import type { AgentEvalConfig } from './schema.js';

/**
 * Checks an evaluation before a server is started: its models, and every row with its tools and reward. No model is
 * called.
 * @param trial runs on each module of a bundle before it is loaded.
 * @throws InvalidInputError that names the field, or the file and line of a bundle.
 */
export async function checkAgentEval(
  config: AgentEvalConfig,
  environment: NodeJS.ProcessEnv,
  trial: ModuleTrial = moduleTrialIn(commandCode()),
): Promise<void> {
  await checkModels(agentEvalConfigs.modelsOf(config), config.limits, environment);
  await askedRows(config, config.now ?? new Date().toISOString(), trial);
}

/** Command `reprise agent-eval`. */
export const agentEvalCommand: CommandSpec<AgentEvalConfig> = {
  argument: ['[config]', 'a YAML file; what the options say takes the place of what it says'],
  examples: [
    'reprise agent-eval evaluation.yaml',
    'reprise agent-eval --dataset my-task --model openai/gpt-4.1 --model-role user=openai/gpt-4.1-mini --rollouts 4',
  ],
  options: [
    ['--judge <provider/model>', 'have a model judge every step when the evaluation is done'],
    ['--rubric <file>', 'by what it judges (progress, rules and honesty of an agent)'],
  ],
  overrides: evaluationOverrides,
  check: async (config) => {
    await checkAgentEval(config, process.env);
    return [];
  },
  says: async ({ models: { user } }, { id }) => {
    if (user !== 'human') return {};
    const how = `You are the user: npx reprise reply ${id} lists who waits for you, npx reprise reply ID "…" answers.`;
    return { after: [how] };
  },
  carry: async (given) => {
    const options = given as JudgeOptions;
    const configOf = await evaluationJudge(options, process.env);
    if (configOf === null) return null;
    return (experiment) => {
      const judging = (artifacts: string) =>
        carriedOut({
          kind: judge,
          command: judgeCommand,
          config: configOf(artifacts),
          json: experiment.json,
          continuedBy: judgeCommandLine(artifacts, options),
        });
      return carryingOut(experiment, (carry) => carryOutJudged(carry, experiment, judging));
    };
  },
};

import type { Command } from 'commander';
import type { AgentEvalConfig } from '../config/agent-eval-schema.js';
import type { AgentEvalProgress, AgentEvalResult } from '../contracts/agent-eval-results.js';
import { startAgentEval } from '../workers/start-agent-eval.js';
import { checkAgentEval } from './agent-eval-check.js';
import { agentEvalDisplay } from './agent-eval-display.js';
import { agentEvalReport } from './agent-eval-format.js';
import { type JudgeOf, type JudgeOptions, judgeCommand, judgeOf } from './agent-eval-judge.js';
import { type AgentEvalOptions, readAgentEval, withAgentEvalOptions } from './agent-eval-options.js';
import { type CarriedOut, carryingOut, carryOut } from './carry-out.js';
import { leaveToWorkers } from './detach.js';
import { judgement } from './judge.js';
import { carryOutJudged } from './judged-evaluation.js';

/** How a person answers who is the user. */
function howToReply(id: string): string {
  return `You are the user: npx reprise reply ${id} lists who waits for you, npx reprise reply ID "…" answers.`;
}

function evaluation(config: AgentEvalConfig, json: boolean): CarriedOut<AgentEvalProgress, AgentEvalResult> {
  return {
    name: config.name,
    concurrency: config.concurrency,
    display: agentEvalDisplay(json),
    start: async (client, taskQueue) => {
      const { id, handle, how } = await startAgentEval(client, config, taskQueue);
      const verb = { new: 'Started', continued: 'Continuing', attached: 'Attached to' }[how];
      return { id, handle, says: [`${verb} ${id}`, ...(config.user === 'human' ? [howToReply(id)] : [])] };
    },
    report: agentEvalReport,
    json,
  };
}

function execute(
  asked: CarriedOut<AgentEvalProgress, AgentEvalResult>,
  judge: JudgeOf | null,
  options: JudgeOptions,
): Promise<number> {
  if (judge === null) return carryOut(asked);
  const judging = (artifacts: string) => ({
    ...judgement(judge(artifacts), asked.json),
    continuedBy: judgeCommand(artifacts, options),
  });
  return carryingOut(asked, (carry) => carryOutJudged(carry, asked, judging));
}

export function addAgentEvalCommand(program: Command, finish: (code: number) => void): void {
  const command = program
    .command('agent-eval')
    .description('evaluate an agent on task bundles: start it, attach to it, continue it after a crash');
  withAgentEvalOptions(command).action(async (path: string | undefined, options: AgentEvalOptions) => {
    const json = options.json === true;
    const config = readAgentEval(path, options);
    await checkAgentEval(config, process.env);
    const judge = await judgeOf(options, process.env);
    finish(
      options.detach
        ? await leaveToWorkers(
            {
              sources: [],
              concurrency: config.concurrency,
              start: (client, queue) => startAgentEval(client, config, queue),
            },
            json,
          )
        : await execute(evaluation(config, json), judge, options),
    );
  });
}

import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { AgentEvalConfig } from '../config/agent-eval-schema.js';
import type { AgentEvalProgress, AgentEvalResult } from '../contracts/agent-eval-results.js';
import { startAgentEval } from '../workers/start-agent-eval.js';
import type { StartedRun } from '../workers/start-named.js';
import { checkAgentEval } from './agent-eval-check.js';
import { agentEvalDisplay } from './agent-eval-display.js';
import { agentEvalReport } from './agent-eval-format.js';
import { type JudgeOf, type JudgeOptions, judgeCommand, judgeOf } from './agent-eval-judge.js';
import { type AgentEvalOptions, readAgentEval, withAgentEvalOptions } from './agent-eval-options.js';
import { type CarriedOut, carryingOut, carryOut } from './carry-out.js';
import { leaveToWorkers } from './detach.js';
import { shareOf } from './exit-code.js';
import { judgement } from './judge.js';
import { carryOutJudged } from './judged-evaluation.js';
import { startedNotes, startedText } from './started-text.js';

/** How a person answers who is the user. */
function howToReply(id: string): string {
  return `You are the user: npx reprise reply ${id} lists who waits for you, npx reprise reply ID "…" answers.`;
}

/** An evaluation as a command carries it out. @param start finds it, or starts it */
export function evaluation(
  config: AgentEvalConfig,
  json: boolean,
  start: (client: Client, taskQueue: string) => Promise<StartedRun> = (client, taskQueue) =>
    startAgentEval(client, config, taskQueue),
): CarriedOut<AgentEvalProgress, AgentEvalResult> {
  return {
    name: config.name,
    concurrency: config.concurrency,
    display: agentEvalDisplay(json),
    start: async (client, taskQueue) => {
      const started = await start(client, taskQueue);
      const { id, handle } = started;
      const says = startedText(started);
      if (config.user === 'human') says.push(howToReply(id));
      return { id, handle, says };
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
    const mostErrors = shareOf(options.failOnError, options.detach);
    const config = readAgentEval(path, options);
    await checkAgentEval(config, process.env);
    const judge = await judgeOf(options, process.env);
    finish(
      options.detach
        ? await leaveToWorkers(
            {
              sources: [],
              concurrency: config.concurrency,
              start: async (client, queue) => {
                const started = await startAgentEval(client, config, queue);
                return { ...started, notes: startedNotes(started) };
              },
            },
            json,
          )
        : await execute({ ...evaluation(config, json), mostErrors }, judge, options),
    );
  });
}

import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { WorkerDependencies } from '../../src/activities/dependencies.js';
import { withFailures } from '../../src/activities/failures.js';
import { ModelCalls } from '../../src/activities/model-calls.js';
import type { GenerateReply, GenerateRequest } from '../../src/contracts/language-model.js';
import type { RunStatus } from '../../src/contracts/results.js';
import { createFinalizeJudge } from '../../src/kinds/judge/activities/finalize-judge.js';
import { JudgeContexts } from '../../src/kinds/judge/activities/judge-context.js';
import { createJudgeStep, createRecordJudgeError } from '../../src/kinds/judge/activities/judge-step.js';
import { createPrepareJudge } from '../../src/kinds/judge/activities/prepare-judge.js';
import type { JudgeActivities, JudgeMetrics, JudgePlan } from '../../src/kinds/judge/contracts.js';
import { judgementPrefix } from '../../src/kinds/judge/paths.js';
import { ownStarts } from '../../src/language-models/pace.js';
import { readingReplies } from '../../src/replies/read-reply.js';
import { rubricWith } from '../kinds/judge/judging/support.js';
import { MemoryStore } from '../support/memory-store.js';

const logger = new DefaultLogger('ERROR', () => undefined);
const log = { level: 'info', warn: () => undefined, info: () => undefined };

/** A server that needs no key. */
const JUDGE = { model: 'openai/fake', base_url: 'http://127.0.0.1:9/v1' };

/** The address of the experiment that is judged. */
const EXPERIMENT = 's3://memory/results/toy';

/** A try for the verdict on a step. */
export const at = ({ run }: JudgePlan, trajectory: number, step: number, attempt = 0) => ({
  run,
  trajectory,
  step,
  attempt,
});

/** Writes an experiment's trajectories. */
export function experimentOf(...rows: unknown[]): Map<string, Uint8Array> {
  const text = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');
  return new Map([['toy/trajectories.jsonl', Buffer.from(text)]]);
}

/** A worker with a judge; several may share the objects of a store. Every call costs half a dollar and ten tokens. */
export function judgeWorld(
  objects: Map<string, Uint8Array>,
  answer: (request: GenerateRequest) => string | Promise<string>,
  ending: Partial<GenerateReply> = {},
) {
  const root = new MemoryStore(objects, { uri: 's3://memory/results' });
  const asked: GenerateRequest[] = [];
  const generate = async (request: GenerateRequest): Promise<GenerateReply> => {
    asked.push(request);
    const usage = { input_tokens: 6, output_tokens: 4 };
    return { text: await answer(request), finish_reason: 'stop', usage, ...ending };
  };
  const dependencies = {
    openStore: (address: string) => root.within(address.slice(`${root.uri}/`.length)),
    namespaceId: async () => 'here',
    environment: {},
    notify: () => undefined,
    notices: { listener: () => () => undefined },
    grantStarts: (_model: string, rate: number) => ownStarts(rate),
    maxConcurrentCalls: 8,
    runLogs: { for: () => log, flush: async () => undefined },
    knownSearchAttributes: async () => [],
  } as unknown as WorkerDependencies;
  const models = new ModelCalls(dependencies);
  const contexts = new JudgeContexts(dependencies);
  const open = contexts.get.bind(contexts);
  contexts.get = async (run) => {
    const context = await open(run);
    Object.assign(context.judge, {
      costOf: () => 0.5,
      languageModel: async () => ({ model: readingReplies({ generate }) }),
    });
    return context;
  };
  const activities = withFailures<JudgeActivities>(
    {
      prepareJudge: createPrepareJudge(contexts, dependencies),
      judgeStep: createJudgeStep(contexts, models),
      recordJudgeError: createRecordJudgeError(contexts),
      finalizeJudge: createFinalizeJudge(contexts, { models, dependencies }),
    },
    dependencies,
    { prepareJudge: 'begins' },
  );
  const run = <Name extends keyof JudgeActivities>(
    name: Name,
    input: Parameters<JudgeActivities[Name]>[0],
    runId = 'first',
  ): ReturnType<JudgeActivities[Name]> => {
    const info = { workflowExecution: { workflowId: 'w', runId } };
    const activity = activities[name] as (input: unknown) => ReturnType<JudgeActivities[Name]>;
    const environment = new MockActivityEnvironment(info, { logger });
    return environment.run(activity, input) as ReturnType<JudgeActivities[Name]>;
  };
  const prepare = (fields: Record<string, unknown> = {}, runId?: string): Promise<JudgePlan> =>
    run(
      'prepareJudge',
      { experiment: EXPERIMENT, rubric: rubricWith(), lm: JUDGE, ...fields } as never,
      runId,
    );
  /** Two seconds an execution, one after the other. */
  const executions: string[] = [];
  const finalize = (plan: JudgePlan, status: RunStatus = 'done'): Promise<JudgeMetrics> => {
    if (!executions.includes(plan.run)) executions.push(plan.run);
    const started_at = 2000 * executions.indexOf(plan.run);
    return run('finalizeJudge', { plan, status, message: null, started_at, ended_at: started_at + 2000 });
  };
  const folder = ({ name }: JudgePlan) => `toy/${judgementPrefix(name)}`;
  const linesOf = (plan: JudgePlan, file: string): Record<string, never>[] =>
    Buffer.from(objects.get(`${folder(plan)}/${file}`) ?? [])
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { run, prepare, finalize, folder, linesOf, asked };
}

/** Judges every step, as the workflow does. */
export async function judgeAll(world: ReturnType<typeof judgeWorld>, plan: JudgePlan): Promise<void> {
  for (const [trajectory, steps] of plan.steps.entries()) {
    for (let step = 0; step < steps; step += 1) {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const name = at(plan, trajectory, step, attempt);
        try {
          if ((await world.run('judgeStep', name))?.kind === 'judged') break;
        } catch (error) {
          const { type = '', message } = error as { type?: string; message: string };
          await world.run('recordJudgeError', { ...name, error: { type, message } });
          break;
        }
      }
    }
  }
}

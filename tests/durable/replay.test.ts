import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';

const HISTORIES = resolve('tests/histories');
const files = readdirSync(HISTORIES, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.json'))
  .sort();

const historyOf = (file: string) => historyFromJSON(JSON.parse(readFileSync(join(HISTORIES, file), 'utf8')));
/** Ids of children follow from it. */
function workflowIdOf(history: ReturnType<typeof historyOf>): string {
  const id = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId;
  if (!id) throw new Error('a history begins with the start of its workflow');
  return id;
}

describe('recorded histories', () => {
  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined) });
  });

  it('hold what a run may go through', () => {
    const scenarios = new Set(files.map((file) => file.split('/')[1]));
    expect([...scenarios]).toEqual(
      expect.arrayContaining([
        'agent-eval-asked-again',
        'agent-eval-controlled',
        'agent-eval-judged',
        'agent-eval-renewed',
        'asked-again',
        'bundled',
        'bundled-limited',
        'unreachable',
        'cancelled',
        'cheatsheet',
        'controlled',
        'epochs',
        'errors',
        'evolve',
        'evolve-agent',
        'evolve-asked-again',
        'judge-asked-again',
        'judgement',
        'limit-reached',
        'limited',
        'limited-renewed',
        'one-call-a-sample',
        'one-memory',
        'own-agent',
        'own-memories',
        'own-environment',
        'programs',
        'rate-limited',
        'reflexion',
        'refused-and-failed',
        'renewed',
        'renewed-cancelled',
        'retrieval',
        'rollout-renewed',
      ]),
    );
  });

  it.each(files)('%s replays on the code of today', async (file) => {
    const history = historyOf(file);
    const codePath = resolve('dist/workflow-bundle.js');
    await Worker.runReplayHistory({ workflowBundle: { codePath } }, history, workflowIdOf(history));
  });

  it('a workflow that does something else is caught', async () => {
    const { code } = await bundleWorkflowCode({
      workflowsPath: resolve('tests/support/other-workflows.ts'),
      logger: new DefaultLogger('ERROR', () => undefined),
    });
    const history = historyOf(files.find((file) => file.includes('one-call-a-sample')) as string);
    await expect(
      Worker.runReplayHistory({ workflowBundle: { code } }, history, workflowIdOf(history)),
    ).rejects.toThrow(/[Nn]ondeterminism/);
  });
});

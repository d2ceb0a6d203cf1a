import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const HISTORIES = resolve('tests/histories');
const files = readdirSync(HISTORIES, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.json'))
  .sort();

/** The workflows' code, with the agent of the histories that have one of their own. */
const folder = mkdtempSync(join(tmpdir(), 'reprise-replay-'));
const withOwnAgent = join(folder, 'bundle.js');

async function bundleOwnAgent(): Promise<void> {
  // As it was built: the bundler runs no TypeScript of the package.
  const { workflowBundle } = (await import(
    pathToFileURL(resolve('dist/workers/bundle.js')).href
  )) as typeof import('../../src/workers/bundle.js');
  const file = resolve('tests/support/own-agent.ts');
  const { bundle } = await workflowBundle([{ type: 'own', file, className: null }]);
  if (!('code' in bundle)) throw new Error('the bundle is no code');
  writeFileSync(withOwnAgent, bundle.code);
}

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
    await bundleOwnAgent();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('hold what a run may go through', () => {
    const scenarios = new Set(files.map((file) => file.split('/')[1]));
    expect([...scenarios]).toEqual(
      expect.arrayContaining([
        'agent-eval-asked-again',
        'agent-eval-controlled',
        'agent-eval-judged',
        'agent-eval-renewed',
        'asked-again',
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
        'own-agent-begins',
        'own-agent-stuck',
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
    const codePath = file.includes('/own-agent') ? withOwnAgent : resolve('dist/workflow-bundle.js');
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

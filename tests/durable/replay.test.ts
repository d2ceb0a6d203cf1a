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
const workflowIdOf = (file: string) =>
  (file.split('/').at(-1) as string).replace(/\.\d+\.json$/, '').replace(/\.shard-/, '/shard-');

describe('recorded histories', () => {
  beforeAll(() => Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined) }));

  it('hold what a run may go through', () => {
    const scenarios = new Set(files.map((file) => file.split('/')[1]));
    expect([...scenarios]).toEqual(
      expect.arrayContaining([
        'cancelled',
        'controlled',
        'errors',
        'limit-reached',
        'one-call-a-sample',
        'one-memory',
        'own-environment',
        'rate-limited',
        'reflexion',
        'refused-and-failed',
        'renewed',
      ]),
    );
  });

  it.each(files)('%s replays on the code of today', async (file) => {
    await Worker.runReplayHistory(
      { workflowBundle: { codePath: resolve('dist/workflow-bundle.js') } },
      historyOf(file),
      workflowIdOf(file),
    );
  });

  it('a workflow that does something else is caught', async () => {
    const { code } = await bundleWorkflowCode({
      workflowsPath: resolve('tests/support/other-workflows.ts'),
      logger: new DefaultLogger('ERROR', () => undefined),
    });
    const shard = files.find(
      (file) => file.includes('one-call-a-sample') && file.includes('shard'),
    ) as string;
    await expect(
      Worker.runReplayHistory({ workflowBundle: { code } }, historyOf(shard), workflowIdOf(shard)),
    ).rejects.toThrow(/[Nn]ondeterminism/);
  });
});

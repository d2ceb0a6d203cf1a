import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeFolder } from '../../src/config/paths.js';
import { bundleFolder } from '../kinds/agent-eval/bundles/support.js';

test('results of a bundle that is worked in lie beside it, and others where they are made', () => {
  const parent = bundleFolder({
    'desk/task.jsonl': [],
    'desk/reward.ts': '',
    'rows/task.jsonl': [],
    'code/reward.mjs': '',
  });
  expect(homeFolder(join(parent, 'desk'))).toBe(parent);
  for (const folder of ['rows', 'code', '.'])
    expect(homeFolder(join(parent, folder))).toBe(join(parent, folder));
});

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const PROGRAM = `
  import { createRequire } from 'node:module';
  await import('./dist/in-process/index.js');
  console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));
`;

it('experiments in process load neither a worker of Temporal nor a server', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    encoding: 'utf8',
  });
  const packages = (JSON.parse(printed) as string[]).map(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1],
  );
  expect(packages).toContain('@temporalio/activity');
  for (const heavy of ['worker', 'core-bridge', 'testing'])
    expect(packages).not.toContain(`@temporalio/${heavy}`);
});

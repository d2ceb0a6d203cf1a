import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askingEvolution, writeSumsToAsk } from '../support/asking-evolution.js';
import { replyToAnyKind } from '../support/every-kind.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { writeJudged, writeRubric } from '../support/judged-steps.js';
import { IS_NIGHT } from '../support/nightly.js';
import { seatsConfig, writeSeats } from '../support/seats-bundle.js';
import { sumsConfig, Workplace } from '../support/workplace.js';

const DIST = resolve('dist');
const LOADER = resolve('tests/support/throwing-loader.cjs');
/** The rooms that workflows compute with. */
const ROOMS = /dist\/(?:facts|kinds|runtime|memory|statistics|workflows\/markdown)\b/;

/** A function throws in the workflows whose id names it. */
const MAY_THROW = `
import { workflowInfo, inWorkflowContext } from '@temporalio/workflow';
globalThis.__mayThrow = (name) => {
  if (!inWorkflowContext()) return;
  if (workflowInfo().workflowId.includes('throws-' + name.replaceAll(/\\W/g, '-'))) throw new RangeError('thrown in ' + name);
};
`;

/** A copy of the built program in whose workflows each function of the pure rooms may throw. */
async function faultyProgram(): Promise<{ command: string; remove(): Promise<void> }> {
  // Beside the packages that it needs.
  const root = await mkdtemp(resolve('node_modules/.faulty-'));
  const folder = join(root, 'dist');
  await cp(DIST, folder, { recursive: true });
  await cp(resolve('package.json'), join(root, 'package.json'));
  await symlink(resolve('docker'), join(root, 'docker'));
  const entry = join(folder, 'entry.mjs');
  await writeFile(join(folder, 'may-throw.mjs'), MAY_THROW);
  const index = JSON.stringify(join(DIST, 'workflows/index.js'));
  await writeFile(
    entry,
    `import './may-throw.mjs';\nexport * from ${index};\nexport { default } from ${index};\n`,
  );
  const { code } = await bundleWorkflowCode({
    workflowsPath: entry,
    payloadConverterPath: join(DIST, 'workflows/payload-converter.js'),
    logger: new DefaultLogger('ERROR'),
    webpackConfigHook: (config) => {
      config.module?.rules?.unshift({ test: ROOMS, enforce: 'pre', use: [LOADER] });
      return config;
    },
  });
  await writeFile(join(folder, 'workflow-bundle.js'), code);
  return { command: join(folder, 'cli/main.js'), remove: () => rm(root, { recursive: true }) };
}

describe('a throw that nobody foresaw', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let faulty: Awaited<ReturnType<typeof faultyProgram>>;

  beforeAll(async () => {
    place = await Workplace.make();
    faulty = await faultyProgram();
    provider = await startFakeProvider('openai', { reply: replyToAnyKind });
    await writeSumsToAsk(place);
    await writeSeats(place, 2, 'seats');
    await writeRubric(place);
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
    await faulty.remove();
  });

  const SMALL = {
    num_iterations: 1,
    initial_scaffolds: 1,
    scaffolds_per_iter: 1,
    num_validation_examples: 1,
  };
  const limits = { max_lm_calls: 1000 };
  const kinds: Record<string, (name: string) => Promise<string[]>> = {
    run: async (name) => {
      await place.write(`${name}.yaml`, sumsConfig(provider.baseUrl, 6, { name, limits }));
      return ['run', `${name}.yaml`];
    },
    'agent-eval': async (name) => {
      await place.write(`${name}.yaml`, seatsConfig(provider.baseUrl, 'seats/task.jsonl', { name, limits }));
      return ['agent-eval', `${name}.yaml`];
    },
    evolve: async (name) => {
      await place.write(
        `${name}.yaml`,
        askingEvolution(provider.baseUrl, ['writer', 'fake'], { name, limits, evolution: SMALL }),
      );
      return ['evolve', `${name}.yaml`];
    },
    judge: (name) =>
      writeJudged(place, name, {
        episodes: 1,
        more: [
          ...['--model', 'openai/judge', '--set', `lm.base_url=${provider.baseUrl}`],
          ...['--set', 'limits.max_lm_calls=1000'],
        ],
      }),
  };

  const ELSEWHERE = [
    ['run', 'workflows/markdown.markdown'],
    ['judge', 'kinds/judge/judging/totals.meanScores'],
    ['evolve', 'facts/frame.unitsFact'],
  ];
  it.each([
    ['run', 'kinds/run/lane/totals.bookCall'],
    ['agent-eval', 'kinds/agent-eval/rollouts/totals.addRollout'],
    ['evolve', 'kinds/evolve/evolution/totals.addExecution'],
    ['judge', 'kinds/judge/judging/totals.addReply'],
    ...(IS_NIGHT ? ELSEWHERE : []),
  ])('ends a %s with its message where %s throws, and the same command continues', async (kind, thrower) => {
    const name = `${kind}-throws-${thrower.replaceAll(/\W/g, '-')}`;
    const command = await (kinds[kind] as (name: string) => Promise<string[]>)(name);
    const failed = await place.startProgram(process.execPath, [faulty.command, ...command]).done;
    const said = failed.stdout + failed.stderr;
    expect(said).toContain(`thrown in ${thrower}`);
    expect(failed.code, said).toBe(1);
    const healthy = await place.reprise(command);
    expect(healthy.code, healthy.stdout + healthy.stderr).toBe(0);
  });
});

import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Four projects: `unit` and `apart` need nothing but Node; `durable` works against the real Temporal server, which its global
 * set-up finds, downloads or builds; `docker` needs Docker Engine. Tests often wait for processes and containers, so more
 * files run at once than there are cores: on two cores, two of `docker` take 80 s where one takes 136.
 */
const DURABLE = [
  'tests/durable/**/*.test.ts',
  'tests/docs/{commands,compose,team}.test.ts',
  'tests/bench/quick.test.ts',
];
/**
 * Tests that leave something behind in their process: the SDK of the plain loop in the place of the real one, readers
 * that are registered, timers, children. Each of their files has a process of its own; the files of `unit` share some,
 * in which what they import is loaded once (289 of them take 100 s; isolated, more than twice that).
 */
const APART = [
  'tests/{bench,cli,client,docs,in-process,sandboxes,scripts,user-code,view,workers,workflows}/**/*.test.ts',
  'tests/kinds/*/workflow/**/*.test.ts',
  'tests/trajectories/images.test.ts',
];
const DOCKER = ['tests/sandboxes/docker/**/*.test.ts', 'tests/scripts/docker-*.test.ts'];
/**
 * Hostile programs as called functions, which `evolve-hostile` runs as scaffolds; a worker that freezes and wakes; a
 * worker of several that dies in the middle of a booking, where `agent-eval` kills the only one; 64 kills of an
 * experiment of each kind at each grain, which `chaos` and others kill a few times.
 */
const NIGHTLY =
  process.env.REPRISE_NIGHTLY === undefined
    ? [
        'tests/sandboxes/docker/hostile-calls.test.ts',
        'tests/durable/{frozen-worker,agent-eval-workers,kills}.test.ts',
      ]
    : [];

/** They take minutes, and so begin first: the rest fits beside them. Vitest would begin with the largest files. */
const LONG = ['docs/commands', 'durable/chaos', 'durable/production'].map((name) => `/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(name));
    const bySize = await super.sort(files);
    return [...bySize.filter(isLong), ...bySize.filter((file) => !isLong(file))];
  }
}

/** What is started in a test's own process is entered here, and nothing in the home folder. */
const env = { REPRISE_STATE_DIR: join(tmpdir(), `reprise-tests-${process.getuid?.()}`) };

/** Garbage is collected after every test, which brings out what is closed twice, or by nobody. */
const collecting =
  process.env.REPRISE_GC === undefined
    ? {}
    : { execArgv: ['--expose-gc'], setupFiles: ['tests/support/collect-garbage.ts'] };

export default defineConfig({
  test: {
    reporters: process.env.REPRISE_REQUIRE_ALL ? ['default', 'json'] : ['default'],
    outputFile: { json: '.vitest/results.json' },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...collecting,
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: [...DURABLE, ...DOCKER, ...APART],
          isolate: false,
          env,
          testTimeout: 30_000,
          hookTimeout: 900_000,
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...collecting,
          name: 'apart',
          include: APART,
          exclude: [...DURABLE, ...DOCKER],
          env,
          testTimeout: 30_000,
          hookTimeout: 900_000,
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...collecting,
          name: 'durable',
          include: DURABLE,
          exclude: NIGHTLY,
          globalSetup: ['tests/support/temporal-setup.ts'],
          env,
          // Alone the longest takes 110 s; beside others, on a slower machine, more than twice that.
          testTimeout: 400_000,
          hookTimeout: 180_000,
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...collecting,
          name: 'docker',
          include: DOCKER,
          exclude: NIGHTLY,
          env,
          testTimeout: 300_000,
          hookTimeout: 900_000,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});

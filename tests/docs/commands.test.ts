import { readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, readFile } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { configJsonSchema } from '../../src/config/json-schema.js';
import { COMMAND, type Running, until, Workplace } from '../support/workplace.js';
import { documentedCommands, documents, fencesOf } from './markdown.js';

/** A documented line, run as it stands. */
interface Step {
  command: string;
  /** Exit code; 0 unless said otherwise. */
  code?: number;
  /** What it has to print, on either stream. */
  prints?: RegExp;
  /** It stays: it is up when it has printed this, and it is ended in order when the scenario is over. */
  staysUntil?: RegExp;
}

interface Scenario {
  title: string;
  prepare?: (place: Workplace) => Promise<void>;
  steps: Step[];
  check?: (place: Workplace) => Promise<void>;
}

const TABLE = /│ accuracy/;

async function copyShipped(place: Workplace): Promise<void> {
  await cp('configs', place.path('configs'), { recursive: true });
  await cp('examples', place.path('examples'), { recursive: true });
}

async function writeDocumented(place: Workplace, name: string): Promise<void> {
  const fence = documents()
    .flatMap(fencesOf)
    .find(({ before }) => before.trim() === `<!-- file: ${name} -->`);
  if (fence === undefined) throw new Error(`no document shows the content of ${name}`);
  await place.write(name, fence.content);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Nobody uses the folder's server any more, the worker that `--detach` left behind included. */
async function untilUnused(place: Workplace): Promise<void> {
  await until(
    'the worker in the background has ended',
    () => !readdirSync(place.path('.reprise', 'users')).some((name) => isAlive(Number(name))),
    60_000,
  );
}

const SCENARIOS: Scenario[] = [
  {
    title: 'the demo',
    prepare: async () => {
      const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
      expect(scripts.demo).toBe('node dist/cli/main.js demo');
    },
    // `npm ci` is what set up the checkout that this test runs in.
    steps: [{ command: 'npm ci && npm run demo', prints: /success by trial.*trial 3/ }],
    check: async (place) => {
      const { status, simulated, samples, success_by_trial } = await place.metrics('reflexion');
      expect({ status, simulated, samples }).toEqual({ status: 'done', simulated: true, samples: 40 });
      expect(success_by_trial).toHaveLength(3);
    },
  },
  {
    title: 'a run of one’s own, replayed and graded again',
    prepare: (place) => writeDocumented(place, 'capitals.yaml'),
    steps: [
      { command: 'npx reprise run capitals.yaml', prints: TABLE },
      {
        // Without the key, which is what a first attempt looks like.
        command:
          'npx reprise run capitals.yaml --set lm.model=gemini/gemini-2.5-flash --set limits.max_cost_usd=1',
        code: 2,
        prints: /set GEMINI_API_KEY/,
      },
      {
        command:
          "npx reprise run capitals.yaml --name again --set lm='{provider: replay, recording: results/capitals/calls.jsonl}'",
        prints: TABLE,
      },
      { command: 'npx reprise score capitals', prints: /Written to .*capitals\/rescored/ },
    ],
    check: async (place) => {
      const original = await place.metrics('capitals');
      expect(original).toMatchObject({ status: 'done', samples: 2, errors: 0 });
      const again = await place.metrics('again');
      expect(again).toMatchObject({ status: 'done', correct: original.correct, errors: 0, cost_usd: 0 });
    },
  },
  {
    title: 'the schema for editors',
    steps: [{ command: 'npx reprise schema --out reprise.schema.json' }],
    check: async (place) => {
      const written = JSON.parse(await readFile(place.path('reprise.schema.json'), 'utf8'));
      expect(written).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
    },
  },
  {
    title: 'started by the Temporal CLI',
    prepare: copyShipped,
    steps: [
      { command: 'npx reprise dev', staysUntil: /Ctrl-C ends/ },
      {
        command: `npx reprise temporal workflow start --task-queue reprise --type run --workflow-id my-run --input '{"config_path": "configs/toy_inmemory.yaml"}'`,
        prints: /WorkflowId\s+my-run/,
      },
      { command: 'npx reprise temporal workflow result --workflow-id my-run', prints: /COMPLETED/ },
      { command: 'npx reprise status', prints: /my-run.*done/ },
      { command: 'npx reprise status my-run', prints: TABLE },
      {
        command: 'npx reprise temporal workflow query --workflow-id my-run --type progress',
        prints: /"phase":\s*"done"/,
      },
    ],
    check: async (place) => {
      expect(await place.metrics('my-run')).toMatchObject({ status: 'done', samples: 4 });
    },
  },
  {
    title: 'environments and agents of one’s own',
    prepare: copyShipped,
    steps: [
      { command: 'npx reprise run examples/own-environment/experiment.yaml', prints: /4 of 5 judged/ },
      { command: 'npx reprise run examples/own-agent/experiment.yaml', prints: TABLE },
      {
        command: 'npx reprise dev --agent majority="$PWD/examples/own-agent/majority-agent.ts"',
        staysUntil: /Task queue:\s+reprise\.agent\.[0-9a-f]+[\s\S]*Ctrl-C ends/,
      },
    ],
    check: async (place) => {
      const rows = await place.rows('own-environment');
      expect(rows.map(({ steps, reward }) => [steps, reward])).toEqual([
        [1, 1],
        [1, 1],
        [2, 0.5],
        [2, 0.5],
        [3, 0],
      ]);
      expect(await place.metrics('own-agent')).toMatchObject({ status: 'done', errors: 0, lm_calls: 36 });
    },
  },
  {
    title: 'a recording made and replayed',
    prepare: copyShipped,
    steps: [
      { command: 'npx reprise run configs/toy_inmemory.yaml', prints: TABLE },
      {
        command:
          "npx reprise run configs/toy_inmemory.yaml --name replayed --set lm='{provider: replay, recording: ../results/toy_inmemory/calls.jsonl}'",
        prints: TABLE,
      },
      { command: 'npx reprise score toy_inmemory', prints: /Before: 2 correct/ },
    ],
    check: async (place) => {
      const [original, replayed] = [await place.rows('toy_inmemory'), await place.rows('replayed')];
      expect(replayed.map(({ action }) => action)).toEqual(original.map(({ action }) => action));
    },
  },
  {
    title: 'in the background',
    prepare: copyShipped,
    steps: [
      { command: 'npx reprise run configs/reflexion.yaml --detach', prints: /runs in the background/ },
      { command: 'npx reprise status reflexion', prints: /reflexion/ },
      { command: 'npx reprise stop reflexion', prints: /reflexion is stopping/ },
    ],
    check: async (place) => {
      await untilUnused(place);
      const { status, samples } = await place.metrics('reflexion');
      expect(status).toBe('stopped');
      expect(samples).toBeLessThan(40);
    },
  },
  {
    title: 'setting up a server, and a worker for it',
    steps: [
      { command: 'npx reprise setup', prints: /search attributes/ },
      { command: 'npx reprise worker --max-concurrent-calls 200', staysUntil: /Working on reprise/ },
    ],
  },
  {
    title: 'what is here and what is missing',
    steps: [{ command: 'npx reprise doctor', prints: /Temporal CLI\s*│ found/ }],
  },
  {
    title: 'grading a table of one’s own',
    prepare: async (place) => {
      const rows = [
        { output: 'The answer is \\boxed{\\frac{1}{2}}', target: '0.5', correct: true },
        { output: 'Answer: 41', target: '42', correct: true },
      ];
      await place.write('cases.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
    },
    steps: [{ command: 'npx reprise grade cases.jsonl --task-type numeric', prints: /41/ }],
  },
];

/** Lines that this test does not run, and why. */
const NOT_RUN: Record<string, string> = {
  'npm cit': 'installs and runs the tests, this one among them',
  'npm ci': 'made the checkout that this test runs in',
  'npm test': 'runs this test',
  "npx vitest run tests/grading -t 'letter'": 'runs tests that are run beside this one',
  'npx vitest run --project unit': 'runs tests that are run beside this one',
  'npx vitest run --project durable': 'runs this test',
  'npm run lint': 'run beside the tests; takes half a minute',
  'npm run format': 'changes files',
  'npm run bench': 'takes minutes, with nothing else running',
  'npm run record-histories': 'changes files',
  'export GEMINI_API_KEY=…': 'needs a key',
  'cp .env.example .env': 'needs Docker; compose.test.ts fills in the example',
  'docker compose up --build --detach --scale worker=3':
    'needs a Docker daemon; compose.test.ts checks the file',
  'docker compose exec worker reprise run configs/toy_inmemory.yaml --results-dir s3://reprise/results --detach':
    'needs a Docker daemon; team.test.ts runs it without the container',
  'docker compose exec worker reprise status':
    'needs a Docker daemon; team.test.ts runs it without the container',
  'export TEMPORAL_ADDRESS=temporal.example.org:7233': 'an address that stands for one of the reader’s',
};

/** `npx` that knows Reprise only, so that a documented line runs as it stands, from the built checkout. */
async function installCommands(place: Workplace): Promise<string> {
  const folder = place.path('bin');
  await mkdir(folder, { recursive: true });
  const exec = `exec '${process.execPath}' '${COMMAND}'`;
  await place.write('bin/npx', `#!/bin/sh\n[ "$1" = reprise ] || exit 127\nshift\n${exec} "$@"\n`);
  await place.write(
    'bin/npm',
    `#!/bin/sh\n[ "$*" = ci ] && exit\n[ "$*" = 'run demo' ] && ${exec} demo\nexit 127\n`,
  );
  for (const name of ['npx', 'npm']) await chmod(place.path('bin', name), 0o755);
  return `${folder}:${process.env.PATH}`;
}

describe('the commands of the documentation', () => {
  const places: Workplace[] = [];
  afterEach(async () => {
    for (const place of places.splice(0)) await place.dispose();
  });

  test.each(SCENARIOS)('$title', async ({ prepare, steps, check }) => {
    const place = await Workplace.make();
    places.push(place);
    const PATH = await installCommands(place);
    await prepare?.(place);
    const staying: Running[] = [];
    for (const { command, code = 0, prints, staysUntil } of steps) {
      if (staysUntil !== undefined) {
        const running = place.startProgram('/bin/sh', ['-c', `exec ${command}`], { PATH });
        staying.push(running);
        await until(`${command} is up`, () => {
          if (running.process.exitCode !== null) throw new Error(`${command} ended: ${running.output()}`);
          return staysUntil.test(running.output());
        });
        continue;
      }
      const outcome = await place.startProgram('/bin/sh', ['-c', command], { PATH }).done;
      const printed = outcome.stdout + outcome.stderr;
      expect(outcome.code, `${command}\n${printed}`).toBe(code);
      if (prints !== undefined) expect(printed, command).toMatch(prints);
    }
    for (const running of staying.reverse()) {
      running.process.kill('SIGTERM');
      expect((await running.done).code).toBe(0);
    }
    await check?.(place);
  });

  const run = new Set(SCENARIOS.flatMap(({ steps }) => steps.map(({ command }) => command)));

  test.each(documentedCommands())(
    '$at is run here, or listed with the reason why not: $command',
    ({ command }) => {
      expect(run.has(command) || command in NOT_RUN, command).toBe(true);
    },
  );

  test('every line that is run or listed is documented', () => {
    const documented = new Set(documentedCommands().map(({ command }) => command));
    expect([...run, ...Object.keys(NOT_RUN)].filter((command) => !documented.has(command))).toEqual([]);
  });

  test('shell blocks are marked sh, so that none escapes', () => {
    const known = ['sh', 'yaml', 'mermaid', 'json', 'ts', ''];
    for (const { document, line, language } of documents().flatMap(fencesOf)) {
      expect(known, `${document}:${line}`).toContain(language);
    }
  });

  test('every npm script that is documented exists', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const text = documents().map((path) => readFileSync(path, 'utf8'));
    const named = text.flatMap((content) =>
      [...content.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name),
    );
    expect(named).toContain('demo');
    expect(named.filter((name) => name !== undefined && !(name in scripts))).toEqual([]);
  });
});

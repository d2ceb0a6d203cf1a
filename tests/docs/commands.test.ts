import { readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, readFile, symlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { evolveConfigs } from '../../src/kinds/evolve/config.js';
import type { JudgeMetrics } from '../../src/kinds/judge/contracts.js';
import { runConfigs } from '../../src/kinds/run/config.js';
import { isAlive } from '../../src/storage/process-identity.js';
import { IS_NIGHT } from '../support/nightly.js';
import { COMMAND, type Running, until, untilIn, Workplace } from '../support/workplace.js';
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

/** Replaces parts of a shipped file, each of which stands in it once. */
async function changeShipped(place: Workplace, name: string, changes: [string, string][]): Promise<void> {
  let text = await readFile(place.path(name), 'utf8');
  for (const [part, other] of changes) {
    const pieces = text.split(part);
    expect(pieces, `${name}: ${part}`).toHaveLength(2);
    text = pieces.join(other);
  }
  await place.write(name, text);
}

async function writeDocumented(place: Workplace, name: string): Promise<void> {
  const fence = documents()
    .flatMap(fencesOf)
    .find(({ before }) => before.trim() === `<!-- file: ${name} -->`);
  if (fence === undefined) throw new Error(`no document shows the content of ${name}`);
  await place.write(name, fence.content);
}

/** Nobody uses the folder's server any more, the worker that `--detach` left behind included. */
async function untilUnused(place: Workplace): Promise<void> {
  await until(
    'the worker in the background has ended',
    async () => !(await place.users()).some(isAlive),
    60_000,
  );
}

const SCENARIOS: Scenario[] = [
  {
    title: 'a small experiment to start from',
    steps: [
      { command: 'npx reprise init my-experiment', prints: /Next: cd my-experiment && npx reprise run/ },
      { command: 'npx reprise run my-experiment/experiment.yaml', prints: /│ mean over trials/ },
    ],
    check: async (place) => {
      expect(await place.metrics('experiment')).toMatchObject({ status: 'done', samples: 8, episodes: 24 });
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
      { command: 'npx reprise run capitals.yaml --limit 1 --name first', prints: TABLE },
      { command: 'npx reprise run capitals.yaml --sample-id 1 --name second', prints: TABLE },
    ],
    check: async (place) => {
      const original = await place.metrics('capitals');
      expect(original).toMatchObject({ status: 'done', samples: 2, errors: 0 });
      const again = await place.metrics('again');
      expect(again).toMatchObject({ status: 'done', correct: original.correct, errors: 0, cost_usd: 0 });
      expect((await place.rows('first')).map(({ id }) => id)).toEqual(['0']);
      expect((await place.rows('second')).map(({ id }) => id)).toEqual(['1']);
    },
  },
  {
    title: 'scorers beside the environment, and others for the finished run',
    prepare: async (place) => {
      for (const name of ['scored.yaml', 'judge.yaml', 'brief.ts']) await writeDocumented(place, name);
    },
    steps: [
      { command: 'npx reprise run scored.yaml', prints: /│ mean f1[\s\S]*Calls by purpose/ },
      { command: 'npx reprise score scored --scorer bleu', prints: /│ bleu +│ correct +│ 2 / },
      {
        command: 'npx reprise score scored --scorer judge.yaml --set limits.max_cost_usd=1',
        prints: /│ helpful +│ correct +│ [12] /,
      },
      {
        command:
          "npx reprise run scored.yaml --name own --set scorers='{brief: {type: code, file: brief.ts, options: {words: 20}}}'",
        prints: /│ brief\.short +│/,
      },
    ],
    check: async (place) => {
      expect((await place.metrics('scored')).by?.area?.north?.scores).toHaveProperty('friendly');
      expect((await place.metrics('scored-scored')).scores).toHaveProperty('bleu');
      expect((await place.metrics('scored-scored-2')).scores).toHaveProperty('helpful');
    },
  },
  {
    title: 'the schema for editors, and that of a trajectory',
    steps: [
      { command: 'npx reprise schema --out reprise.schema.json' },
      { command: 'npx reprise schema trajectory --out trajectory.schema.json' },
    ],
    check: async (place) => {
      const written = JSON.parse(await readFile(place.path('reprise.schema.json'), 'utf8'));
      expect(written).toEqual(JSON.parse(JSON.stringify(runConfigs.jsonSchema())));
      const published = await readFile('schemas/trajectory.schema.json', 'utf8');
      expect(await readFile(place.path('trajectory.schema.json'), 'utf8')).toBe(published);
    },
  },
  {
    title: 'an evolution of one’s own, without the key, which is what a first attempt looks like',
    prepare: async (place) => {
      for (const name of ['train.jsonl', 'valid.jsonl', 'task.md', 'durations.yaml']) {
        await writeDocumented(place, name);
      }
    },
    steps: [
      {
        command:
          'npx reprise evolve --experiment-name durations --task-prompt task.md --train-data train.jsonl --valid-data valid.jsonl --domain numeric --scaffolder-model gemini/gemini-2.5-pro --num-iterations 3 --num-validation-examples 5 --set limits.max_cost_usd=2',
        code: 2,
        prints: /models\.scaffolder\.model: .*set GEMINI_API_KEY/,
      },
      { command: 'npx reprise evolve durations.yaml', code: 2, prints: /set GEMINI_API_KEY/ },
      {
        command: 'npx reprise evolve durations.yaml --num-iterations 8',
        code: 2,
        prints: /set GEMINI_API_KEY/,
      },
      {
        command:
          'npx reprise evolve --fork durations_20260131_235959 --at-iteration 3 --set scaffolder_model=openai/gpt-4.1',
        code: 2,
        prints: /fork: there is no experiment 'durations_20260131_235959' in .*experiments/,
      },
      { command: 'npx reprise schema evolve --out evolve.schema.json' },
    ],
    check: async (place) => {
      const written = JSON.parse(await readFile(place.path('evolve.schema.json'), 'utf8'));
      expect(written).toEqual(JSON.parse(JSON.stringify(evolveConfigs.jsonSchema())));
    },
  },
  {
    title: 'an evolution without a key and without Docker',
    prepare: async (place) => {
      await copyShipped(place);
      // A tenth of the validation and test examples; the test of its script takes them all.
      await changeShipped(place, 'configs/evolve_game24.yaml', [
        ['valid: 100, test: 100', 'valid: 10, test: 5'],
        ['num_validation_examples: 20', 'num_validation_examples: 10'],
      ]);
      await place.write(
        'puzzles.jsonl',
        '{"id": "p1", "input": "4 7 8 8"}\n{"id": "p2", "input": "1 2 3 4"}\n',
      );
    },
    steps: [
      {
        command: 'npx reprise evolve configs/evolve_game24.yaml --set sandbox=process',
        prints: /│ test score +│ 1,[\s\S]*Best scaffold: experiments\/evolve_game24_\d{8}_\d{6}\//,
      },
      { command: 'npx reprise scaffold run evolve_game24 --input "4 7 8 8"', prints: /^[\d()+*/ -]+$/m },
      { command: 'npx reprise scaffold run evolve_game24 --data puzzles.jsonl --out answers.jsonl' },
      { command: 'npx reprise scaffold score evolve_game24', prints: /mean score 1 on 5 examples/ },
      {
        command: 'npx reprise scaffold score evolve_game24 --scaffold 0 --data puzzles.jsonl',
        prints: /mean score [\d.]+ on 2 examples/,
      },
    ],
    check: async (place) => {
      const [name = ''] = readdirSync(place.path('experiments'));
      const text = await readFile(place.path('experiments', name, 'metrics.json'), 'utf8');
      expect(JSON.parse(text)).toMatchObject({ status: 'done', iterations: 4, scaffolds_failed: 0 });
      const answers = (await readFile(place.path('answers.jsonl'), 'utf8')).trim().split('\n');
      expect(answers.map((line) => JSON.parse(line).id)).toEqual(['p1', 'p2']);
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
      {
        command: `npx reprise temporal workflow start --task-queue reprise --type judge --workflow-id my-judgement --input '{"experiment": "results/my-run", "rubric": "examples/judge/rubric.yaml", "lm": {"model": "scripted/judge", "script": "examples/judge/replies.yaml"}}'`,
        prints: /WorkflowId\s+my-judgement/,
      },
      { command: 'npx reprise temporal workflow result --workflow-id my-judgement', prints: /COMPLETED/ },
      {
        command: `npx reprise temporal workflow start --task-queue reprise --type agent-eval --workflow-id desk --input '{"config_path": "configs/agent_eval_flight.yaml"}'`,
        prints: /WorkflowId\s+desk/,
      },
      { command: 'npx reprise temporal workflow result --workflow-id desk', prints: /COMPLETED/ },
    ],
    check: async (place) => {
      expect(await place.metrics('my-run')).toMatchObject({ status: 'done', samples: 4 });
      const [name = ''] = readdirSync(place.path('results', 'my-run', 'judged'));
      expect(await place.metrics(`my-run/judged/${name}`)).toMatchObject({ kind: 'judge', steps: 4 });
    },
  },
  {
    title: 'kinds of experiment of one’s own',
    prepare: async (place) => {
      await copyShipped(place);
      for (const name of ['vote.ts', 'vote.yaml']) await writeDocumented(place, name);
    },
    steps: [
      { command: 'npx reprise own-kind examples/best-of-n/experiment.yaml', prints: /correct +│ 75\.0 %/ },
      { command: 'npx reprise own-kind vote.yaml', prints: /mean agreement/ },
      {
        command:
          'npx reprise own-kind vote.yaml --name seven --set settings.votes=7 --set limits.max_lm_calls=10',
        code: 3,
        prints: /limits\.max_lm_calls/,
      },
      { command: 'npx reprise schema own-kind', prints: /work_timeout_sec/ },
      { command: 'npx reprise dev', staysUntil: /Ctrl-C ends/ },
      {
        command: `npx reprise temporal workflow start --task-queue reprise --type own-kind --workflow-id best --input '{"config_path": "examples/best-of-n/experiment.yaml"}'`,
        prints: /WorkflowId\s+best/,
      },
    ],
    check: async (place) => {
      const best = JSON.parse(await readFile(place.path('results/best-of-n/metrics.json'), 'utf8'));
      expect(best).toMatchObject({ kind: 'own-kind', status: 'done', samples: 4, errors: 0, lm_calls: 19 });
      expect(best.scores).toMatchObject({ correct: { mean: 0.75 }, 'any correct': { mean: 1 } });
    },
  },
  {
    title: 'sweeps',
    prepare: async (place) => {
      await copyShipped(place);
      await writeDocumented(place, 'temperatures.yaml');
    },
    steps: [
      {
        command: 'npx reprise sweep configs/toy_inmemory.yaml --set agent.history_k=0,5 --repeats 2',
        prints: /cells +│ 4 of 4/,
      },
      { command: 'npx reprise sweep temperatures.yaml', prints: /cells +│ 8 of 8/ },
      { command: 'npx reprise schema sweep', prints: /share_calls/ },
      { command: 'npx reprise dev', staysUntil: /Ctrl-C ends/ },
      {
        command: `npx reprise temporal workflow start --task-queue reprise --type sweep --workflow-id temperatures --input '{"config_path": "temperatures.yaml"}'`,
        prints: /WorkflowId\s+temperatures/,
      },
    ],
  },
  {
    title: 'a memory of one’s own',
    prepare: async (place) => {
      for (const name of ['mistakes.ts', 'mistakes.yaml']) await writeDocumented(place, name);
    },
    steps: [{ command: 'npx reprise run mistakes.yaml', prints: TABLE }],
    check: async (place) => {
      const memory = JSON.parse(await readFile(place.path('results/mistakes/memory.json'), 'utf8'));
      const { correct } = await place.metrics('mistakes');
      expect(memory).toMatchObject({ _type: 'own' });
      expect(memory.kept).toHaveLength(2 - correct);
    },
  },
  {
    title: 'environments and agents of one’s own',
    prepare: async (place) => {
      await copyShipped(place);
      await symlink(resolve('node_modules'), place.path('node_modules'));
    },
    steps: [
      { command: 'npx reprise run examples/own-environment/experiment.yaml', prints: /4 of 5 judged/ },
      { command: 'npx reprise run examples/own-agent/experiment.yaml', prints: TABLE },
      { command: 'npx reprise run examples/ai-sdk-agent/experiment.yaml', prints: /accuracy +│ 100\.0 %/ },
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
      { command: 'npx reprise retry toy_inmemory', prints: /there is nothing to ask again/ },
      {
        command: 'npx reprise export toy_inmemory --format trl --out train.jsonl',
        prints: /4 rows of 4 trajectories/,
      },
      {
        command: 'npx reprise export toy_inmemory --format openai-finetune --successful --out tuning.jsonl',
        prints: /2 rows of 4 trajectories; 2 filtered out/,
      },
      {
        command:
          'npx reprise export toy_inmemory --format trajectories --advantages standard_deviation --out advantages.jsonl',
        prints: /4 rows of 4 trajectories/,
      },
      {
        command:
          'npx reprise export toy_inmemory --format trajectories --returns 0.99 --truncation-value unknown --without-truncated --out returns.jsonl',
        prints: /4 rows of 4 trajectories; 0 filtered out/,
      },
      { command: 'npx reprise stats toy_inmemory', prints: /pass\^k[\s\S]*│ 1 / },
      {
        command:
          'npx reprise stats results/toy_inmemory/results.jsonl --against results/replayed/results.jsonl',
        prints: /right: both, there, here, none +│ 2, 0, 0, 2[\s\S]*McNemar/,
      },
    ],
    check: async (place) => {
      const [original, replayed] = [await place.rows('toy_inmemory'), await place.rows('replayed')];
      expect(replayed.map(({ action }) => action)).toEqual(original.map(({ action }) => action));
      const trained = (await readFile(place.path('train.jsonl'), 'utf8')).trim().split('\n');
      expect(trained.map((line) => JSON.parse(line).completion[0].content)).toEqual(
        original.map(({ action }) => action),
      );
    },
  },
  {
    title: 'two runs compared',
    prepare: (place) => writeDocumented(place, 'rivers.yaml'),
    steps: [
      { command: 'npx reprise run rivers.yaml', prints: TABLE },
      {
        command: 'npx reprise run rivers.yaml --name better --set lm.simulation.accuracy=0.9',
        prints: TABLE,
      },
      {
        command: 'npx reprise compare rivers better',
        prints:
          /difference +│ \+\d+\.\d points, 95 % interval[\s\S]*Newly right in B[\s\S]*│ lm\.simulation\.accuracy │ 0\.2 │ 0\.9 │/,
      },
      {
        command: 'npx reprise compare rivers better --by continent --vary lm.simulation',
        prints: /│ Africa +│ 3 [\s\S]*│ Europe +│ 3 /,
      },
      { command: 'npx reprise compare rivers better --fail-if-worse 0.02', prints: /McNemar/ },
    ],
  },
  {
    title: 'a judge, without a key and with a script',
    prepare: copyShipped,
    steps: [
      { command: 'npx reprise run configs/toy_inmemory.yaml', prints: TABLE },
      {
        command:
          'npx reprise judge toy_inmemory --rubric examples/judge/rubric.yaml --model gemini/gemini-2.5-pro --set limits.max_cost_usd=2',
        code: 2,
        prints: /lm\.model: .*set GEMINI_API_KEY/,
      },
      {
        command:
          'npx reprise judge toy_inmemory --rubric examples/judge/rubric.yaml --model scripted/judge --set lm.script=examples/judge/replies.yaml',
        prints: /mean reasoning +│ 4, .*of 1 to 5[\s\S]*malformed replies +│ 4 /,
      },
    ],
    check: async (place) => {
      const [name = ''] = readdirSync(place.path('results', 'toy_inmemory', 'judged'));
      expect(name).toMatch(/^teacher-judge-[0-9a-f]{8}$/);
      expect(await place.metrics(`toy_inmemory/judged/${name}`)).toMatchObject({
        status: 'done',
        steps: 4,
        errors: 0,
        lm_calls: 8,
      });
    },
  },
  {
    title: 'in the background',
    prepare: async (place) => {
      await copyShipped(place);
      // So slow that it is in progress when the next commands are there.
      await changeShipped(place, 'configs/reflexion.yaml', [['mean: 400', 'mean: 3000']]);
    },
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
    title: 'notes from sample to sample, looked at and taken back',
    prepare: async (place) => {
      await copyShipped(place);
      const versions = ['add first', 'add, then check'].map((content, index) => ({
        version: index + 1,
        sample_id: `2024-I-${index + 1}`,
        trial: 0,
        content,
      }));
      const memory = { _type: 'cheatsheet', cheatsheet: 'add, then check', versions };
      await place.write('results/dynamic_cheatsheet/memory.json', JSON.stringify(memory));
    },
    steps: [
      { command: 'npx reprise run configs/dynamic_cheatsheet.yaml', code: 2, prints: /set GEMINI_API_KEY/ },
      {
        command:
          'npx reprise run configs/dynamic_cheatsheet.yaml --set agent.mode=empty_sheet --name dynamic_cheatsheet_empty',
        code: 2,
        prints: /set GEMINI_API_KEY/,
      },
      {
        command: 'npx reprise memory show dynamic_cheatsheet',
        prints: /2024-I-2[\s\S]*add, then check/,
      },
      {
        command: 'npx reprise memory show dynamic_cheatsheet --version 2',
        prints: /^add, then check$/m,
      },
      {
        command: 'npx reprise memory rollback results/dynamic_cheatsheet/memory.json --to 2 --out notes.json',
        prints: /version 3 is version 2 once more/,
      },
      {
        command:
          'npx reprise run configs/dynamic_cheatsheet.yaml --set output.load_memory_path=../notes.json --name second',
        code: 2,
        prints: /set GEMINI_API_KEY/,
      },
    ],
  },
  {
    title: 'programs on the host',
    prepare: async (place) => {
      await copyShipped(place);
      const fewer: [string, string] = ['  concurrency: 8\n', '  concurrency: 8\n  max_envs_to_visit: 30\n'];
      if (!IS_NIGHT) await changeShipped(place, 'configs/dynamic_cheatsheet_code.yaml', [fewer]);
    },
    steps: [
      {
        command:
          'npx reprise run configs/dynamic_cheatsheet_code.yaml --name on-the-host --set sandbox=process',
        prints: IS_NIGHT ? /250 of 250/ : /30 of 30/,
      },
    ],
  },
  {
    title: 'a log of Inspect AI and a config of promptfoo, imported',
    prepare: async (place) => {
      await cp('tests/kinds/run/importers/fixtures/geography.eval', place.path('logs/geography.eval'));
      await writeDocumented(place, 'promptfooconfig.yaml');
    },
    steps: [
      { command: 'npx reprise import logs/geography.eval', prints: /8 rows, 2 errors[\s\S]*score includes/ },
      { command: 'npx reprise stats imported/geography/results.jsonl', prints: /mean reward +│ 0\.667/ },
      {
        command: 'npx reprise import promptfooconfig.yaml --out translation',
        prints: /experiment-rubric\.yaml[\s\S]*judges by rubrics itself/,
      },
      { command: 'npx reprise run translation/experiment.yaml', code: 2, prints: /set OPENAI_API_KEY/ },
      {
        command: 'npx reprise run translation/experiment.yaml --name tried --set lm.model=simulated/toy',
        prints: TABLE,
      },
      {
        command:
          'npx reprise run translation/experiment-rubric.yaml --name graded --set lm.model=simulated/toy --model-role judge=simulated/judge',
        prints: /rubric/,
      },
    ],
    check: async (place) => {
      expect(await place.metrics('tried')).toMatchObject({ status: 'done', samples: 1, errors: 0 });
      expect(await place.metrics('graded')).toMatchObject({ status: 'done', samples: 1, errors: 0 });
    },
  },
  {
    title: 'what is here and what is missing',
    steps: [{ command: 'npx reprise doctor', prints: /Temporal CLI\s*│ found/ }],
  },
  {
    title: 'a task bundle, begun and checked',
    prepare: copyShipped,
    steps: [
      { command: 'npx reprise bundle new library', prints: /library\/task\.jsonl/ },
      { command: 'npx reprise bundle check library', prints: /2 proven solvable[\s\S]*0 errors, 0 warnings/ },
      { command: 'npx reprise bundle test library', prints: /pass 3/ },
      {
        command: 'npx reprise bundle check examples/flight_task --strict',
        prints: /16 rows, 16 with an oracle, 16 proven solvable/,
      },
      {
        command: 'npx reprise bundle check examples/retail_task --strict',
        prints: /16 rows, 16 with an oracle, 16 proven solvable/,
      },
      {
        // Nobody types anything: who is asked leaves at once.
        command:
          'npx reprise bundle play examples/flight_task flight.cancel.001 --model scripted/configs/data/flight-agent-script.yaml',
        prints: /What is your customer number[\s\S]*Ended: left\nReward: 0/,
      },
      {
        command:
          'npx reprise bundle play examples/flight_task flight.cancel.001 --as agent --model scripted/configs/data/flight-user-script.yaml',
        prints: /\/cancel_booking[\s\S]*Ended: left\nReward: 0/,
      },
      { command: 'npx reprise bundle serve examples/flight_task', staysUntil: /Ctrl-C ends it/ },
      { command: 'npx reprise view', staysUntil: /Ctrl-C ends the viewer/ },
      { command: 'npx reprise view --write', staysUntil: /Ctrl-C ends the viewer/ },
    ],
  },
  {
    title: 'an agent evaluated on the flight bundle, by a file and by options',
    prepare: copyShipped,
    steps: [
      {
        command: 'npx reprise agent-eval configs/agent_eval_flight.yaml',
        prints: /mean reward\s+│ 0\.3438, stderr 0\.\d+, 95 % interval[\s\S]*│ 2 │ 37\.5 % │ 31\.3 %/,
      },
      {
        command:
          'npx reprise agent-eval --dataset examples/flight_task --model scripted/configs/data/flight-agent-script.yaml --model-role user=scripted/configs/data/flight-user-script.yaml --rollouts 1 --name scripts',
        prints: /mean reward\s+│ 0\.375,/,
      },
      {
        command:
          'npx reprise agent-eval configs/agent_eval_flight.yaml --row flight.cancel.001 --rollouts 1 --name judged --judge scripted/examples/judge/replies.yaml --rubric examples/judge/rubric.yaml',
        prints: /mean reward\s+│ 1\b[\s\S]*mean reasoning +│ 4, .*of 1 to 5/,
      },
    ],
    check: async (place) => {
      const [judgement = ''] = readdirSync(place.path('results', 'judged', 'judged'));
      const judged = await readFile(place.path('results/judged/judged', judgement, 'metrics.json'), 'utf8');
      const { steps, ...figures } = JSON.parse(judged) as JudgeMetrics;
      expect(figures).toMatchObject({ kind: 'judge', status: 'done', errors: 0, malformed_replies: steps });
      const text = await readFile(place.path('results', 'agent_eval_flight', 'metrics.json'), 'utf8');
      expect(JSON.parse(text)).toMatchObject({
        status: 'done',
        rows: 16,
        rollouts: 32,
        errors: 0,
        user_faults: { empty: 0, role_swap: 0, early_stop: 0 },
        by_row: { 'flight.cancel.001': { successes: 2 }, 'flight.cancel.003': { successes: 1 } },
      });
    },
  },
  {
    title:
      'an agent evaluated from the bundle’s folder, without models, which is what a first attempt looks like',
    prepare: (place) => cp('examples/flight_task', place.folder, { recursive: true }),
    steps: [
      {
        command: 'npx reprise agent-eval --dataset task.jsonl',
        code: 2,
        prints: /models\.agent: is missing.*--model, or set MODEL_AGENT/,
      },
    ],
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
  'npm ci && npm run demo': 'the tests of a whole machine (.ci/run) run it in a clean clone',
  'npm cit': 'installs and runs the tests, this one among them',
  'npm ci': 'made the checkout that this test runs in',
  'npm test': 'runs this test',
  'npx vitest run tests/statistics': 'runs tests that are run beside this one',
  "npx vitest run tests/grading -t 'letter'": 'runs tests that are run beside this one',
  'npx vitest run --project unit': 'runs tests that are run beside this one',
  'npx vitest run --project apart': 'runs tests that are run beside this one',
  'npx vitest run --project durable': 'runs this test',
  'npx vitest run --project docker': 'run beside this one, where there is a daemon',
  'REPRISE_CACHED_WORKFLOWS=0 npx vitest run --project durable':
    'runs this test; the tests of a whole machine run some of the others that way',
  'npm run lint': 'run beside the tests; takes half a minute',
  'npm run format': 'changes files',
  'npm run bench': 'takes minutes, with nothing else running',
  'npx reprise run configs/dynamic_cheatsheet_code.yaml':
    'needs a Docker daemon; programs.test.ts runs 80 of its 250 puzzles with one',
  'export DOCKER_HOST=$(scripts/docker-daemon.sh start)':
    'needs root; the tests of a whole machine begin with it',
  'export REPRISE_RUNNER_BASE=$(scripts/runner-base.sh)':
    'needs root; the tests of a whole machine begin with it',
  'npm run record-histories': 'changes files',
  'export GEMINI_API_KEY=…': 'needs a key',
  'export MODEL_AGENT=openai/gpt-4o-mini': 'needs a key',
  'export MODEL_SIM=openai/gpt-3.5-turbo': 'needs a key',
  'npx reprise reply flight_task': 'is about an evaluation that waits for a person',
  'npx reprise reply flight_task "Tomorrow morning, please."':
    'is about an evaluation that waits for a person',
  'npx reprise reply flight_task/flight.book.001/0 "That is all. ###STOP###"':
    'is about an evaluation that waits for a person',
  'cp .env.example .env': 'needs Docker; compose.test.ts fills in the example',
  'docker compose up --build --detach --scale worker=3':
    'needs a Docker daemon; compose.test.ts checks the file',
  'docker compose exec worker reprise run configs/toy_inmemory.yaml --results-dir s3://reprise/results --detach':
    'needs a Docker daemon; team.test.ts runs it without the container',
  'docker compose exec worker reprise status':
    'needs a Docker daemon; team.test.ts runs it without the container',
  'npx reprise evolve configs/evolve_game24.yaml': 'needs a Docker daemon',
  'npx reprise temporal workflow start --task-queue reprise --type evolve --workflow-id evolve_game24 --input \'{"config_path": "configs/evolve_game24.yaml"}\'':
    'needs a Docker daemon; evolve-cli.test.ts starts one without',
  'npx reprise temporal workflow query --workflow-id evolve_game24 --type progress':
    'is about an evolution that needs a Docker daemon',
  'npx reprise temporal workflow result --workflow-id evolve_game24':
    'is about an evolution that needs a Docker daemon',
  'export TEMPORAL_ADDRESS=temporal.example.org:7233': 'an address that stands for one of the reader’s',
};

/** `npx` that knows Reprise only, so that a documented line runs as it stands, from the built checkout. */
async function installNpx(place: Workplace): Promise<string> {
  const exec = `exec '${process.execPath}' '${COMMAND}'`;
  const npx = await place.write(
    'bin/npx',
    `#!/bin/sh\n[ "$1" = reprise ] || exit 127\nshift\n${exec} "$@"\n`,
  );
  await chmod(npx, 0o755);
  return `${place.path('bin')}:${process.env.PATH}`;
}

describe('the commands of the documentation', () => {
  const places: Workplace[] = [];
  afterEach(async () => {
    for (const place of places.splice(0)) await place.dispose();
  });

  test.each(SCENARIOS)('$title', async ({ prepare, steps, check }) => {
    const place = await Workplace.make();
    places.push(place);
    const PATH = await installNpx(place);
    await prepare?.(place);
    const staying: Running[] = [];
    for (const { command, code = 0, prints, staysUntil } of steps) {
      if (staysUntil !== undefined) {
        const running = place.startProgram('/bin/sh', ['-c', `exec ${command}`], { PATH });
        staying.push(running);
        await untilIn(running, `${command} is up`, () => staysUntil.test(running.output()));
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
    const known = ['sh', 'yaml', 'mermaid', 'json', 'ts', 'python', ''];
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

import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/contracts/language-model.js';
import { resolveConfig, runInProcess } from '../../src/in-process/index.js';
import { factsOfLoaded, memoryToBeginWith } from '../../src/kinds/run/activities/memory-file.js';
import { inWords } from '../../src/kinds/run/in-words.js';
import { openStore } from '../../src/storage/open.js';
import { IS_NIGHT } from '../support/nightly.js';
import { FakeModel, temporaryFile } from './support.js';

type Section = Record<string, unknown>;

/** Right answers: of this run's samples, and of the loaded memory. */
const OWN = /GOLD-s\d/g;
const OF_LOADED = 'GOLD-loaded';
const items = ['s1', 's2'].map((id) => ({
  id,
  question: `What is the capital of ${id}?`,
  answer: `GOLD-${id}`,
}));

/** Always gives the same answer, and repeats in its reflections and notes every right answer that it is shown. */
function leaky(answer: string): FakeModel {
  return new FakeModel(({ call, messages }) => {
    if (call.purpose === 'act') return answer;
    const golds = textOf(messages).match(/GOLD-\w+/g) ?? [];
    const thought = `Think again. ${[...new Set(golds)].join(' ')}`;
    return call.purpose === 'reflect' ? thought : `<cheatsheet>\n${thought}\n</cheatsheet>`;
  });
}

const textOf = (messages: GenerateRequest['messages']) => messages.map(({ content }) => content).join('\n');

/** An earlier run's memory, of a sample that happens to be called as one of this run's. */
const origin = { sample_id: 's1', trial: 0 };
const judged = (feedback: Section) => [
  { _type: 'experience', obs: 'capital of Peru?', action: 'Cuzco', feedback, ...origin },
  { _type: 'Observation', content: 'capital of Chad?', ...origin },
  { _type: 'Action', content: 'Cuzco', ...origin },
  { _type: 'Feedback', content: JSON.stringify(feedback), ...origin },
];
const told = { correct: false, target: OF_LOADED, message: `Cuzco is not ${OF_LOADED}.` };
const saved = (
  feedback: Section,
  { reflections = [], cheatsheet = '' }: { reflections?: object[]; cheatsheet?: string } = {},
) => ({
  history_list: { _type: 'history_list', max_length: 50, entries: [...reflections, ...judged(feedback)] },
  hybrid: { _type: 'hybrid', cheatsheet, experiences: judged(feedback).slice(0, 1) },
});
const texts = {
  reflections: [{ _type: 'reflection', content: `Say ${OF_LOADED}.`, ...origin }],
  cheatsheet: `Chad: ${OF_LOADED}`,
};
const LOADED: Record<string, ReturnType<typeof saved> | null> = {
  'nothing loaded': null,
  'right answers loaded': saved(told),
  'verdicts loaded': saved({ correct: false, message: 'incorrect' }),
  'texts loaded': saved({ correct: false, message: 'incorrect' }, texts),
};

const AGENTS: Record<string, Section> = {
  'a history': { type: 'history_agent' },
  'a short history': { type: 'history_agent', history_k: 1 },
  'a memory': { type: 'memory_agent' },
  'no history': { type: 'memory_agent', history_k: 0 },
  ...Object.fromEntries(
    ['none', 'last_attempt', 'reflexion', 'last_attempt_and_reflexion'].flatMap((strategy) =>
      [0, 5].map((history_k) => [
        `reflexion, strategy ${strategy}, history_k ${history_k}`,
        { type: 'reflexion_agent', history_k, reflection_config: { strategy } },
      ]),
    ),
  ),
  'reflections that are switched off': {
    type: 'reflexion_agent',
    history_k: 0,
    reflection_config: { enabled: false },
  },
  ...Object.fromEntries(
    ['cumulative', 'retrieval_synthesis', 'dynamic_retrieval', 'full_history', 'empty_sheet'].flatMap(
      (mode) =>
        [0, 2].map((history_k) => [
          `cheatsheet, mode ${mode}, history_k ${history_k}`,
          { type: 'dynamic_cheatsheet_agent', mode, history_k },
        ]),
    ),
  ),
  'a curator who is told': { type: 'dynamic_cheatsheet_agent', curator_sees_feedback: true },
};

const RUNTIMES: Section[] = [
  {},
  { num_trials: 2 },
  { num_trials: 2, carry_memory_across_trials: false },
  { num_trials: 2, early_stop_on_success: true },
].flatMap((runtime) => ['run', 'sample'].map((memory_scope) => ({ ...runtime, memory_scope })));

async function ran({ answer = 'It is Lima.', ...sections }: Section & { answer?: string }) {
  const config = resolveConfig(
    {
      name: 'words',
      dataset: { items, task_type: 'exact', id_field: 'id' },
      lm: { model: 'openai/fake', base_url: 'http://127.0.0.1:9/v1' },
      ...sections,
    },
    { source: 'the test', folder: tmpdir(), fallbackName: 'words' },
  );
  const model = leaky(answer);
  const { metrics, memory } = await runInProcess(config, { languageModel: model });
  const prompts = model.asked.map(({ call, messages }) => ({ ...call, text: textOf(messages) }));
  return {
    config,
    metrics,
    memory,
    model,
    prompts,
    acts: prompts.filter(({ purpose }) => purpose === 'act'),
  };
}

/** Returns the runtimes, with what is told of verdicts, for an agent: by day a third of them, others for the next agent. */
const casesOf = (agent: string) =>
  [undefined, 'full', 'outcome'].flatMap((feedback, told) =>
    RUNTIMES.filter((_, at) => IS_NIGHT || (told + at + Object.keys(AGENTS).indexOf(agent)) % 3 === 0).map(
      (runtime) => ({ feedback, runtime }),
    ),
  );

describe.each(Object.entries(LOADED))('with %s', (_loaded, file) => {
  test.each(Object.entries(AGENTS))('%s: the words are true of the prompts', async (name, agent) => {
    const kind = agent.type === 'dynamic_cheatsheet_agent' ? 'hybrid' : 'history_list';
    const path = file === null ? null : await temporaryFile('memory.json', JSON.stringify(file[kind]));
    for (const { feedback, runtime } of casesOf(name)) {
      const { metrics, prompts, acts, model, config } = await ran({
        runtime,
        agent: { ...agent, ...(feedback === undefined ? {} : { feedback }) },
        ...(path === null ? {} : { output: { load_memory_path: path } }),
      });
      const where = JSON.stringify({ feedback, runtime });
      const { feedback_in_prompts: shown } = metrics;
      const said = metrics.in_words.join(' ');
      const isTold = prompts.some(({ text }) => text.includes('GOLD-'));

      // Right answers: in the metrics and in words, exactly where a prompt has one; of old texts nobody can tell.
      if (shown !== 'unknown') expect(shown === 'full', where).toBe(isTold);
      expect(/is not known/.test(said), where).toBe(
        prompts.some(({ text }) => /Say GOLD-l|Chad: G/.test(text)),
      );
      if (!said.includes('is not known')) expect(/with the right answer/.test(said), where).toBe(isTold);
      if (config.agent.feedback === 'outcome' && !said.includes('is not known'))
        expect(isTold, where).toBe(false);
      // Verdicts.
      if (shown === 'none')
        expect(
          prompts.filter(({ text }) => text.includes('"correct":')),
          where,
        ).toEqual([]);
      if (shown === 'outcome')
        expect(
          prompts.some(({ text }) => text.includes('"correct":')),
          where,
        ).toBe(true);
      // What a later trial can read of its own.
      const readsOwn = acts.some(
        ({ text, trial, sample_id }) =>
          trial > 0 && text.match(OWN)?.some((gold) => gold === `GOLD-${sample_id}`),
      );
      expect(said.includes('can read its right answer'), where).toBe(readsOwn);
      // Other samples, old memories, and nothing at all.
      const showsOthers = acts.some(({ text, sample_id }) =>
        items.some(({ id, question }) => id !== sample_id && text.includes(question)),
      );
      if (showsOthers) expect(said, where).toContain('the samples before it');
      const showsLoaded = prompts.some(({ text }) => /Cuzco|Say GOLD-l|Chad: G/.test(text));
      // Of a verdict alone nobody sees what it is of.
      if (agent.history_k !== 1) expect(said.includes('the loaded memory'), where).toBe(showsLoaded);
      const isAlone = prompts.every(
        ({ text, purpose }) => purpose !== 'act' || !/Lima|Cuzco|Think again|GOLD|"correct":/.test(text),
      );
      expect(said.includes('its question alone'), where).toBe(isAlone);
      expect(model.mostInFlight > 1, where).toBe(said.startsWith('Samples are independent'));
      // Nothing of another run passes for the sample's own.
      for (const { text } of prompts) expect(text, where).not.toMatch(/Your last attempt:\n.*(?:Peru|Chad)/);
      // Trials.
      const seesTrials = acts.some(
        ({ text, trial, sample_id }) =>
          trial > 0 && text.split('\n').slice(0, -1).join('\n').includes(`capital of ${sample_id}`),
      );
      if (seesTrials) expect(said, where).not.toContain('no trial is shown anything of another');
      expect(/Each sample is tried/.test(said), where).toBe((runtime.num_trials ?? 1) !== 1);
    }
  });
});

test.each([
  ['a memory that each sample has', 'sample', 'full'],
  ['one whose right answers this run does not remember', 'sample', 'outcome'],
] as const)('%s is spoken of as one that all share', async (_what, memory_scope, feedback) => {
  const memories = { s1: saved(told).history_list, other: saved(told).history_list };
  const path = await temporaryFile('memory.json', JSON.stringify({ _type: 'per_sample', memories }));
  const { metrics, acts, memory } = await ran({
    runtime: { memory_scope },
    agent: { type: 'history_agent', feedback },
    output: { load_memory_path: path },
  });
  expect(metrics.feedback_in_prompts).toBe(feedback);
  expect(acts.map(({ text }) => text.includes(OF_LOADED))).toEqual([feedback === 'full', false]);
  expect(JSON.stringify(memory).includes(OF_LOADED)).toBe(feedback === 'full');
});

test('what is said before a run begins is what its metrics say', async () => {
  const path = await temporaryFile('memory.json', JSON.stringify(saved(told).history_list));
  const { config, metrics } = await ran({
    runtime: { num_trials: 2, memory_scope: 'sample' },
    agent: { type: 'reflexion_agent', feedback: 'full' },
    output: { load_memory_path: path },
  });
  const loaded = factsOfLoaded(config, await memoryToBeginWith(openStore, config));
  expect(inWords(config, loaded).sentences).toEqual(metrics.in_words);
});

describe('in an episode of several steps', () => {
  const dataset = {
    task_type: 'custom',
    env_class: 'NumberGuessingEnv',
    items: [{ question: 'Guess.', answer: '73' }],
  };
  test.each<[Section, Section, boolean]>([
    [{ type: 'history_agent' }, {}, true],
    [{ type: 'history_agent', feedback: 'outcome' }, {}, false],
    [{ type: 'history_agent' }, { max_steps_per_episode: 1 }, false],
    [{ type: 'dynamic_cheatsheet_agent', mode: 'empty_sheet' }, {}, false],
  ])('%j with %j: right answers in prompts: %s', async (agent, runtime, isShown) => {
    const { metrics, acts } = await ran({ dataset, agent, runtime: { memory_scope: 'sample', ...runtime } });
    expect(acts.some(({ text }) => text.includes('73'))).toBe(isShown);
    expect(metrics.feedback_in_prompts === 'full').toBe(isShown);
    expect(metrics.in_words.join(' ').includes('with the right answers')).toBe(isShown);
  });
});

test('where right answers choose the similar tasks, that is said, and none of them answers the question that is asked', async () => {
  const sheep = 'A farmer has 17 sheep and all but 9 run away. How many are left?';
  const sums = [
    'A farmer has 12 sheep and buys 30. How many has he?',
    'A farmer has 7 sheep and sells 2. How many are left?',
  ];
  const rows = [sheep, ...sums, sheep].map((question) => ({ question, answer: 'right' }));
  for (const correct_only of [true, false]) {
    const { metrics, acts } = await ran({
      dataset: { items: rows, task_type: 'exact' },
      runtime: { num_trials: 2 },
      agent: { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' },
      memory: { _type: 'experience_db', retrieval: { correct_only } },
      answer: 'right',
    });
    const ownQuestions = acts.map(
      ({ text, sample_id }) => text.split(rows[Number(sample_id)]?.question as string).length - 1,
    );
    expect(ownQuestions.every((times) => times === 1)).toBe(correct_only);
    if (correct_only) expect(acts.at(-1)?.text).toContain(sums[0]);
    expect(metrics.examples_chosen_by_label).toBe(correct_only ? true : undefined);
    expect(metrics.in_words.join(' ').includes('Right answers choose the similar tasks')).toBe(correct_only);
    expect(metrics.feedback_in_prompts).toBe(correct_only ? 'outcome' : 'none');
  }
});

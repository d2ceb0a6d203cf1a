import { describe, expect, test } from 'vitest';
import { Environment } from '../../src/environments/environment.js';
import { QAEnv } from '../../src/environments/qa.js';
import {
  BUILT_IN_ENVIRONMENTS,
  builtInEnvironment,
  environmentName,
  isEnvironmentClass,
} from '../../src/environments/registry.js';
import { complaint, environment, play } from './support.js';

const choices = ['a cat', 'a dog', 'a cow'];
/** A task for each built-in environment, a right and a wrong answer. */
const cases: Record<string, [Parameters<typeof environment>[1], right: string, wrong: string]> = {
  QAEnv: [{ target: 'Paris' }, 'Paris', 'Rome'],
  MathQAEnv: [{ target: '1/2' }, 'So it is \\boxed{0.5}.', 'Answer: 2'],
  MCQEnv: [{ target: 'B', choices }, 'Answer: B', 'Answer: C'],
  EquationBalancerEnv: [
    { question: '2 ? 3 ? 4 = 14', target: '2 + 3 * 4 = 14' },
    '<answer>2 + 3 * 4 = 14</answer>',
    '<answer>2 * 3 * 4 = 14</answer>',
  ],
  Game24Env: [{ question: '4 7 8 8', target: null }, '(7 - 8 / 8) * 4', '4 * 8 - 8'],
  NumberGuessingEnv: [{ target: '42' }, '42', '7'],
};

test('there is a case here for every built-in environment', () => {
  expect(Object.keys(cases)).toEqual(BUILT_IN_ENVIRONMENTS);
});

describe.each(Object.entries(cases))('%s', (name, [setting, right, wrong]) => {
  test('resets to a state and an observation, the same each time', async () => {
    const { state, obs } = await environment(name, setting).reset();
    expect(obs).not.toBe('');
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    expect(await environment(name, setting).reset()).toEqual({ state, obs });
  });

  test('judges a right and a wrong answer, with feedback of one shape', async () => {
    for (const [action, correct] of [
      [right, true],
      [wrong, false],
    ] as const) {
      const [outcome] = await play(environment(name, setting), action);
      expect(outcome?.feedback).toEqual({
        correct,
        target: expect.any(String),
        message: expect.stringMatching(/./),
        extra: expect.objectContaining({ extracted: expect.any(String) }),
      });
      expect(outcome?.info).toEqual({ question_id: 'q3' });
      expect(outcome?.obs === null).toBe(outcome?.done);
      expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
    }
  });

  test('any text is an action: what cannot be read is wrong, and nothing is thrown', async () => {
    for (const action of ['', '\n', '???', '{"a":', '\\frac{', '9'.repeat(5000), '<answer></answer>']) {
      const [outcome] = await play(environment(name, setting), action);
      expect(outcome?.feedback.correct).toBe(false);
    }
  });

  test('keeps nothing between steps: the same step again says the same', async () => {
    const env = environment(name, setting);
    const [first] = await play(env, wrong);
    await play(env, right);
    expect((await play(env, wrong))[0]).toEqual(first);
  });

  test('takes the config’s instruction_template', async () => {
    const asked = { ...setting, instruction_template: 'Look: {question} Again: {question}' };
    const { obs } = await environment(name, asked).reset();
    expect(obs).toMatch(/^Look: [\s\S]+ Again: /);
    expect(obs).not.toContain('{question}');
  });

  test('finds nothing wrong with its task', () => {
    expect(complaint(environment(name, setting))).toBeNull();
  });
});

describe('several right answers', () => {
  const judged = async (name: string, setting: Parameters<typeof environment>[1], action: string) =>
    (await play(environment(name, setting), action))[0]?.feedback;

  test('any of a list is right, and the feedback names the one that was given', async () => {
    const setting = { target: 'Kyiv', targets: ['Kyiv', 'Kiev'] };
    expect(await judged('QAEnv', setting, 'Answer: Kiev')).toMatchObject({ correct: true, target: 'Kiev' });
    expect(await judged('QAEnv', setting, 'Answer: Lviv')).toMatchObject({ correct: false, target: 'Kyiv' });
    const numbers = { target: '2', targets: ['2', '1/2'] };
    expect(await judged('MathQAEnv', numbers, 'Answer: 0.5')).toMatchObject({ correct: true });
    expect(await judged('MathQAEnv', numbers, 'Answer: 2, 1/2')).toMatchObject({ correct: false });
  });

  test('all values of a list are one set', async () => {
    const all = { target: '2', targets: ['2', '5'], target_match: 'all' } as const;
    expect(await judged('MathQAEnv', { ...all, targets: [...all.targets] }, 'Answer: 5, 2')).toMatchObject({
      correct: true,
    });
    expect(await judged('MathQAEnv', { ...all, targets: [...all.targets] }, 'Answer: 5')).toMatchObject({
      correct: false,
    });
  });

  test('choices are right by their position, whatever they look like', async () => {
    const genes = { target: 'Aa', choices: ['AA', 'Aa', 'aa'], right_choices: [1] };
    expect(await judged('MCQEnv', genes, 'Answer: B')).toMatchObject({ correct: true, target: 'B' });
    expect(await judged('MCQEnv', genes, 'Answer: aa')).toMatchObject({ correct: false, target: 'B' });
    const types = { target: 'B', choices: ['O', 'A', 'B', 'AB'], right_choices: [2] };
    expect(await judged('MCQEnv', types, 'Answer: C')).toMatchObject({ correct: true, target: 'C' });
    expect(await judged('MCQEnv', types, 'Answer: B')).toMatchObject({ correct: false, target: 'C' });
  });

  test('one of several choices, or all of them', async () => {
    const several = {
      target: 'red',
      targets: ['red', 'blue'],
      choices: ['red', 'green', 'blue'],
      right_choices: [0, 2],
    };
    expect(await judged('MCQEnv', several, 'Answer: C')).toMatchObject({ correct: true, target: 'A or C' });
    const all = { ...several, target_match: 'all' as const };
    expect(await judged('MCQEnv', all, 'Answer: C')).toMatchObject({ correct: false, target: 'A, C' });
    expect(await judged('MCQEnv', all, 'Answer: A and C')).toMatchObject({
      correct: true,
      extra: { predicted: 'A, C', target_letter: 'A, C' },
    });
  });

  test('choices that the question shows already are not shown twice', async () => {
    const { obs } = await environment('MCQEnv', {
      question: 'Who? (A)Ann (B)Bo',
      choices: ['Ann', 'Bo'],
    }).reset();
    expect(obs).toBe('Who? (A)Ann (B)Bo');
  });
});

describe('a task that does not fit is named by its field', () => {
  const letters = (count: number) => Array.from({ length: count }, (_, index) => `choice ${index}`);
  test.each<[string, Parameters<typeof environment>[1], string]>([
    ['QAEnv', { target: null }, 'dataset.target_field: the row has no target'],
    ['MathQAEnv', { target: null }, 'dataset.target_field'],
    ['MathQAEnv', { options: { tolerance: 1 } }, 'dataset.env_options.tolerance'],
    ['MathQAEnv', { options: { tolerance: '0.1' } }, 'dataset.env_options.tolerance'],
    ['MCQEnv', {}, 'dataset.choices_field: the row offers 0 choices'],
    ['MCQEnv', { choices: ['one'] }, 'dataset.choices_field: the row offers 1 choices'],
    ['MCQEnv', { choices: letters(27) }, '2 to 26 can be lettered'],
    ['EquationBalancerEnv', { question: '2 + 3 = 5' }, 'dataset.input_field'],
    ['EquationBalancerEnv', { question: '2 ? 3 ? = 5' }, 'dataset.input_field'],
    ['Game24Env', { question: '4 7 8' }, 'dataset.input_field: four whole numbers'],
    ['NumberGuessingEnv', { target: '101' }, 'a whole number from 1 to 100'],
    ['NumberGuessingEnv', { target: '101', metadata: { maximum: 50 } }, 'a whole number from 1 to 50'],
    ['NumberGuessingEnv', { target: 'seven' }, 'dataset.target_field'],
    ['NumberGuessingEnv', { target: '7', options: { max_guesses: 0 } }, 'dataset.env_options.max_guesses'],
  ])('%s with %j: %s', (name, setting, message) => {
    expect(complaint(environment(name, setting))).toContain(message);
  });

  test.each<[string, Parameters<typeof environment>[1]]>([
    ['EquationBalancerEnv', { question: '2 ? 3 = 5', target: null }],
    ['EquationBalancerEnv', { question: 'Complete: 2 ? 3 = 5.', target: null }],
    ['Game24Env', { question: '4, 7, 8 and 8', target: null }],
    ['MCQEnv', { choices: letters(26) }],
    ['MathQAEnv', { options: { tolerance: 0 } }],
  ])('%s takes %j', (name, setting) => {
    expect(complaint(environment(name, setting))).toBeNull();
  });
});

describe('the registry', () => {
  test.each([
    [{ task_type: 'exact' }, 'QAEnv'],
    [{ task_type: 'numeric' }, 'MathQAEnv'],
    [{ task_type: 'mcq' }, 'MCQEnv'],
    [{ task_type: 'custom', env_class: 'Game24Env' }, 'Game24Env'],
    [{ task_type: 'numeric', env_class: 'Mine' }, 'Mine'],
  ])('%j is judged by %s', (dataset, name) => {
    expect(environmentName(dataset)).toBe(name);
  });

  test('knows its own names and no inherited ones', () => {
    for (const name of BUILT_IN_ENVIRONMENTS) expect(builtInEnvironment(name)).toBeTypeOf('function');
    for (const name of ['', 'Nope', 'constructor', 'toString'])
      expect(builtInEnvironment(name)).toBeUndefined();
  });

  test('a class with reset and step can serve, whatever it extends', () => {
    class Own {
      reset() {}
      step() {}
    }
    class Half {
      reset() {}
    }
    for (const value of [Own, QAEnv]) expect(isEnvironmentClass(value)).toBe(true);
    for (const value of [Half, Environment, () => 1, {}, null, 'Own'])
      expect(isEnvironmentClass(value)).toBe(false);
  });
});

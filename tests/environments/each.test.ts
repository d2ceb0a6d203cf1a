import { describe, expect, test } from 'vitest';
import { MCQEnv } from '../../src/environments/mcq.js';
import { environment, play } from './support.js';

const observe = async (...given: Parameters<typeof environment>) => (await environment(...given).reset()).obs;
const judge = async (action: string, ...given: Parameters<typeof environment>) =>
  (await play(environment(...given), action))[0]?.feedback;

describe('QAEnv', () => {
  test('asks the question as it is', async () => {
    expect(await observe('QAEnv')).toBe('What is it?');
  });

  test('a question that holds {question} or $& is not changed by the template', async () => {
    const setting = { question: 'What is {question} and $&?', instruction_template: '<{question}>' };
    expect(await observe('QAEnv', setting)).toBe('<What is {question} and $&?>');
  });
});

describe('MathQAEnv', () => {
  test.each([
    [{}, 'Answer: 101', false],
    [{ tolerance: 0.02 }, 'Answer: 101', true],
    [{ tolerance: 0.02 }, 'Answer: 103', false],
  ])('with %j, %s is correct: %s', async (options, action, correct) => {
    expect((await judge(action, 'MathQAEnv', { target: '100', options }))?.correct).toBe(correct);
  });

  test('asks the maths library what spelling leaves open, and has no grade where it cannot be asked', async () => {
    const asked: string[][] = [];
    const target = '(x+1)^2';
    for (const [answer, correct] of [
      [true, true],
      [false, false],
      [undefined, false],
    ] as const) {
      const compareSymbolically = async (left: string, right: string) => {
        asked.push([left, right]);
        return answer;
      };
      const feedback = await judge('\\boxed{x^2+2x+1}', 'MathQAEnv', { target, compareSymbolically });
      expect(feedback?.correct).toBe(correct);
    }
    expect(asked).toEqual(Array.from({ length: 3 }, () => ['x^2+2x+1', '(x+1)^2']));
    const broken = () => Promise.reject(new Error('no thread'));
    const judged = judge('\\boxed{\\sqrt8}', 'MathQAEnv', {
      target: '2\\sqrt2',
      compareSymbolically: broken,
    });
    await expect(judged).rejects.toThrow('no thread');
  });
});

describe('MCQEnv', () => {
  const choices = ['3', '5'];

  test('letters the choices below the question', async () => {
    expect(await observe('MCQEnv', { question: 'How many?', choices })).toBe('How many?\n(A) 3\n(B) 5');
  });

  test('asks a subclass what becomes of the question, as QAEnv does', async () => {
    class Shouting extends MCQEnv {
      protected override normalizeInput(question: string): string {
        return question.toUpperCase();
      }
    }
    const task = { index: 0, id: 'q', question: 'How many?', target: 'A', choices, metadata: {} };
    const env = new Shouting(task, { options: {} }, { compareSymbolically: async () => undefined });
    expect(env.reset().obs).toBe('HOW MANY?\n(A) 3\n(B) 5');
  });

  test('also where the question happens to name them', async () => {
    expect(await observe('MCQEnv', { question: 'Is 3 or 5 larger?', choices })).toContain('\n(A) 3\n(B) 5');
  });

  test.each(['(A) 3\n(B) 5', 'A) 3 B) 5', 'A. 3\nB. 5', 'A: 3, B: 5'])(
    'but not twice where it prints them as %j',
    async (printed) => {
      expect(await observe('MCQEnv', { question: `How many?\n${printed}`, choices })).toBe(
        `How many?\n${printed}`,
      );
    },
  );

  test.each([
    ['B', 'B', true, 'B', 'B'],
    ['5', 'B', true, 'B', 'B'],
    ['3', '(B)', false, 'A', 'B'],
    ['no idea', 'B', false, null, 'B'],
    ['Answer: D', 'A', false, null, 'A'],
  ])('%s for %s is correct: %s', async (action, target, correct, predicted, target_letter) => {
    const feedback = await judge(action, 'MCQEnv', { target, choices });
    expect(feedback).toMatchObject({ correct, target: target_letter, extra: { predicted, target_letter } });
  });
});

describe('EquationBalancerEnv', () => {
  const question = '2 ? 2 ? 2 = 2';

  test.each([
    ['2 + 2 - 2 = 2', true],
    ['2 - 2 + 2 = 2', true],
    ['2 * 2 / 2 = 2', true],
    ['2 / 2 * 2 = 2', true],
    ['2 + 2 / 2 = 2', false],
    ['2 + 2 - 2 = 3', false],
    ['2 - 2 = 2', false],
    ['(2 + 2) - 2 = 2', false],
  ])('every valid filling counts, whatever the target says: %s is correct: %s', async (filling, correct) => {
    const setting = { question, target: '2 + 2 - 2 = 2' };
    const feedback = await judge(`<answer>${filling}</answer>`, 'EquationBalancerEnv', setting);
    expect(feedback?.correct).toBe(correct);
  });

  test('explains itself, unless the config does', async () => {
    expect(await observe('EquationBalancerEnv', { question })).toMatch(
      /one of \+ - \* \/[\s\S]*2 \? 2 \? 2 = 2/,
    );
    const own = { question, instruction_template: 'Fill in {question}' };
    expect(await observe('EquationBalancerEnv', own)).toBe(`Fill in ${question}`);
  });
});

describe('Game24Env', () => {
  test.each([
    ['(7 - 8 / 8) * 4', true],
    ['4 * (7 - 8/8) = 24', true],
    ['4 * 7 - 8 + 8', false],
    ['4 * 8 - 8', false],
    ['24', false],
  ])('%s is correct: %s', async (action, correct) => {
    const feedback = await judge(`<answer>${action}</answer>`, 'Game24Env', {
      question: '4 7 8 8',
      target: null,
    });
    expect(feedback).toMatchObject({ correct, target: '24' });
  });
});

describe('NumberGuessingEnv', () => {
  test('says higher or lower until the number is found', async () => {
    const outcomes = await play(environment('NumberGuessingEnv', { target: '42' }), '10', 'maybe 50?', '42');
    expect(outcomes.map(({ obs, done, state }) => [obs, done, state])).toEqual([
      ['Higher. 6 guesses left.', false, { guesses: 1 }],
      ['Lower. 5 guesses left.', false, { guesses: 2 }],
      [null, true, { guesses: 3 }],
    ]);
    expect(outcomes.at(-1)?.feedback).toMatchObject({ correct: true, message: 'Found.' });
  });

  test('ends after max_guesses, and what is no number is a guess, too', async () => {
    const env = environment('NumberGuessingEnv', { target: '42', options: { max_guesses: 2 } });
    const outcomes = await play(env, 'no idea', '41');
    expect(outcomes.map(({ obs, done }) => [obs, done])).toEqual([
      ['That was no number. 1 guess left.', false],
      [null, true],
    ]);
    expect(outcomes.at(-1)?.feedback.correct).toBe(false);
  });

  test('the last number of a reply is the guess', async () => {
    const feedback = await judge('Between 1 and 100 I take 42.', 'NumberGuessingEnv', { target: '42' });
    expect(feedback).toMatchObject({ correct: true, extra: { extracted: '42', guesses: 1 } });
  });

  test('tells its rules: the row’s maximum before the config’s', async () => {
    const options = { maximum: 50, max_guesses: 3 };
    expect(await observe('NumberGuessingEnv', { target: '7', options })).toContain(
      'from 1 to 50. You have 3',
    );
    const metadata = { maximum: 20 };
    expect(await observe('NumberGuessingEnv', { target: '7', options, metadata })).toContain('from 1 to 20.');
  });
});

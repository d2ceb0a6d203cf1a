import { describe, expect, it } from 'vitest';
import { PURPOSES } from '../../src/contracts/language-model.js';
import { type SimulatedOptions, simulatedLanguageModel } from '../../src/language-models/simulated.js';
import { type KnownAnswer, rightAnswer, wrongAnswer } from '../../src/language-models/simulated-answers.js';
import { failure, request } from './support.js';

function model(options: Partial<SimulatedOptions> = {}) {
  return simulatedLanguageModel({ timeoutMs: 10_000, answerFor: () => ({ target: '42' }), ...options });
}

const SAMPLES = Array.from({ length: 400 }, (_, index) => `s${index}`);

/** The samples answered rightly, asked one after the other in the given order. */
async function rightOnes(options: Partial<SimulatedOptions>, prompt = 'How many?', order = SAMPLES) {
  const simulated = model(options);
  const right = [];
  for (const sample_id of order) {
    const { text } = await simulated.generate(request(prompt, { call: { sample_id } }));
    if (text.endsWith('\n\nAnswer: 42')) right.push(sample_id);
  }
  return right;
}

describe('the simulated model', () => {
  it('gives the same replies for the same seed, in any order and in any instance', async () => {
    const forwards = await rightOnes({ seed: 1 });
    const backwards = await rightOnes({ seed: 1 }, 'How many?', SAMPLES.toReversed());
    expect(backwards.toReversed()).toEqual(forwards);
    expect(await rightOnes({ seed: 2 })).not.toEqual(forwards);
  });

  it.each([0, 0.25, 0.5, 0.9, 1])('is right with the probability %f', async (accuracy) => {
    const share = (await rightOnes({ simulation: { accuracy } })).length / SAMPLES.length;
    expect(Math.abs(share - Math.min(accuracy, 0.98))).toBeLessThan(0.08);
  });

  it('gains from every reflection in the prompt, and never unlearns', async () => {
    const simulation = { accuracy: 0.3, reflection_gain: 0.2 };
    const prompt =
      'Memory:\nReflection: check the sign\n- Reflection 2: read twice\nMy reflection: no\n\nHow many?';
    const without = await rightOnes({ simulation });
    const withTwo = await rightOnes({ simulation }, prompt);
    expect(Math.abs(withTwo.length / SAMPLES.length - 0.7)).toBeLessThan(0.08);
    expect(withTwo).toEqual(expect.arrayContaining(without));
  });

  it('reports estimated usage, no cost, and names itself in every reply', async () => {
    for (const purpose of PURPOSES) {
      const reply = await model().generate(request('x'.repeat(400), { call: { purpose } }));
      expect(reply).toMatchObject({ finish_reason: 'stop', cost_usd: 0, usage: { input_tokens: 100 } });
      expect(reply.usage?.output_tokens).toBe(Math.ceil(reply.text.length / 4));
      expect(reply.text).toMatch(/simulat/i);
    }
  });

  it('says so where it does not know the answer', async () => {
    const { text } = await model({ answerFor: undefined }).generate(request());
    expect(text).toBe('Simulated reply: the answer to this is not known to the simulation.');
  });

  it('fails some attempts as an overloaded server does, and none for ever', async () => {
    const simulation = { error_rate: 0.4 };
    const simulated = model({ simulation, seed: 5 });
    let failures = 0;
    for (const sample_id of SAMPLES) {
      for (let attempt = 0; ; attempt++) {
        expect(attempt).toBeLessThan(20);
        const outcome = await simulated
          .generate(request('?', { call: { sample_id } }))
          .catch((error: unknown) => error);
        if (!(outcome instanceof Error)) break;
        failures++;
        expect(outcome).toMatchObject({ kind: 'overloaded', status: 503, retryable: true });
      }
    }
    // A geometric series: 0.4 / (1 - 0.4) failures a call.
    expect(failures / SAMPLES.length).toBeGreaterThan(0.5);
    expect(failures / SAMPLES.length).toBeLessThan(0.85);
  });

  it('gives the same reply after failures as without them', async () => {
    const patient = async (sample_id: string, simulation: object) => {
      const simulated = model({ simulation });
      for (;;) {
        const reply = await simulated.generate(request('?', { call: { sample_id } })).catch(() => null);
        if (reply !== null) return reply.text;
      }
    };
    for (const sample_id of SAMPLES.slice(0, 50)) {
      expect(await patient(sample_id, { error_rate: 0.7 })).toBe(await patient(sample_id, {}));
    }
  });

  it('takes its latency, which a cancellation ends', async () => {
    const simulated = model({ simulation: { latency_ms: { mean: 60_000, deviation: 10 } } });
    const controller = new AbortController();
    const call = simulated.generate(request(), { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    expect(await failure(call)).toMatchObject({ kind: 'cancelled' });

    const started = performance.now();
    await model({ simulation: { latency_ms: 50 } }).generate(request());
    expect(performance.now() - started).toBeGreaterThan(45);
  });

  it('runs into the deadline as a real model does', async () => {
    const simulated = model({ simulation: { latency_ms: 60_000 }, timeoutMs: 30 });
    expect(await failure(simulated.generate(request()))).toMatchObject({ kind: 'timeout' });
  });
});

describe('a simulated wrong answer', () => {
  const draws = [0, 0.2, 0.4, 0.6, 0.8, 0.999];

  it.each<[string, KnownAnswer, string, RegExp]>([
    ['a number', { target: '42' }, '42', /^(4[3-9]|5[01])$/],
    ['a decimal number', { target: '3.50' }, '3.50', /^\d+\.50$/],
    ['a number with separators', { target: '1,234' }, '1,234', /^12\d\d$/],
    ['a fraction', { target: '\\frac{1}{2}' }, '\\frac{1}{2}', /^\\frac\{\d+\}\{2\}$/],
    ['a word', { target: 'Paris' }, 'Paris', /^[a-z]+$/],
    ['a word it would have said', { target: 'Cedar' }, 'Cedar', /^(?!cedar)[a-z]+$/],
    ['a letter', { target: 'B', choices: ['1', '2', '3', '4'] }, 'B', /^[ACD]$/],
    ['the text of a choice', { target: 'blue', choices: ['red', 'blue'] }, 'B', /^A$/],
    ['a choice that looks like a letter', { target: 'A', choices: ['B', 'A', 'C'] }, 'B', /^[AC]$/],
    ['a choice by its place', { target: 'A', choices: ['B', 'A', 'C'], right_choices: [2] }, 'C', /^[AB]$/],
    ['any of several choices', { target: 'x', choices: ['x', 'y', 'z'], right_choices: [0, 2] }, 'A', /^B$/],
    [
      'all of several choices',
      { target: 'x', choices: ['x', 'y', 'z'], right_choices: [0, 2], target_match: 'all' },
      'A, C',
      /^B$/,
    ],
    ['a choice that is a number', { target: '7', choices: ['5', '7'] }, 'B', /^A$/],
  ])('is of the same kind as %s', (_name, known, right, pattern) => {
    expect(rightAnswer(known)).toBe(right);
    for (const draw of draws) {
      const wrong = wrongAnswer(known, draw);
      expect(wrong).toMatch(pattern);
      expect(wrong).not.toBe(right);
    }
  });
});

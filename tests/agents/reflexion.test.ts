import { describe, expect, test } from 'vitest';
import { DEFAULT_REFLECTION_PROMPT } from '../../src/agents/reflexion-agent.js';
import type { ReflectionConfig, ReflexionAgentConfig } from '../../src/config/agent-schemas.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { Bench } from './support.js';

function agent(
  reflection: Partial<ReflectionConfig> = {},
  rest: Partial<ReflexionAgentConfig> = {},
): ReflexionAgentConfig {
  return {
    type: 'reflexion_agent',
    system_prompt: null,
    history_k: 10,
    feedback: 'outcome',
    reflection_config: {
      enabled: true,
      mode: 'episode_end',
      system_prompt: null,
      max_tokens: null,
      strategy: 'reflexion',
      max_reflections: 3,
      reflect_on_success: false,
      ...reflection,
    },
    ...rest,
  };
}

describe('when it reflects', () => {
  test.each<[ReflectionConfig['mode'], string[]]>([
    ['episode_end', ['act', 'act', 'reflect']],
    ['per_step', ['act', 'reflect', 'act', 'reflect']],
    ['both', ['act', 'reflect', 'act', 'reflect', 'reflect']],
  ])('mode %s asks for %j', async (mode, purposes) => {
    const bench = new Bench(agent({ mode }));
    await bench.episode('s1', 0, false, false);
    expect(bench.purposes).toEqual(purposes);
    const reflections = bench.memory.recall().filter(({ _type }) => _type === 'reflection');
    expect(reflections).toHaveLength(purposes.filter((purpose) => purpose === 'reflect').length);
    expect(reflections[0]).toMatchObject({ sample_id: 's1', trial: 0 });
  });

  test.each<[string, Partial<ReflectionConfig>, boolean]>([
    ['after a success it does not', {}, false],
    ['unless it is told to', { reflect_on_success: true }, true],
    ['not where it is switched off', { enabled: false, reflect_on_success: true }, false],
    ['not with strategy none', { strategy: 'none', reflect_on_success: true }, false],
    ['not with strategy last_attempt', { strategy: 'last_attempt', reflect_on_success: true }, false],
    ['with both it does', { strategy: 'last_attempt_and_reflexion', reflect_on_success: true }, true],
  ])('%s', async (_name, reflection, reflects) => {
    const bench = new Bench(agent(reflection));
    await bench.episode('s1', 0, true);
    expect(bench.purposes.includes('reflect')).toBe(reflects);
  });

  test('per step, a step that succeeded is not reflected on', async () => {
    const bench = new Bench(agent({ mode: 'per_step' }));
    await bench.episode('s1', 0, false, true);
    expect(bench.purposes).toEqual(['act', 'reflect', 'act']);
  });

  test('it is shown the whole attempt, or the one step', async () => {
    const whole = new Bench(agent());
    await whole.episode('s1', 1, false, false);
    expect(whole.prompt()).toMatch(/^Attempt 2:\nObservation: s1 obs 0\n[\s\S]*Observation: s1 obs 1\n/);
    const step = new Bench(agent({ mode: 'per_step' }));
    await step.episode('s1', 0, false, false);
    expect(step.prompt()).not.toContain('s1 obs 0');
  });

  test('max_tokens and a prompt of its own reach the reflection alone', async () => {
    const bench = new Bench(agent({ max_tokens: 77, system_prompt: 'Be brief.' }));
    await bench.episode('s1', 0, false);
    const [act, reflect] = bench.requests;
    expect(act?.parameters).toBeUndefined();
    expect(reflect?.parameters).toEqual({ max_output_tokens: 77 });
    expect(reflect?.messages[0]?.content).toBe('Be brief.');
    const plain = new Bench(agent());
    await plain.episode('s1', 0, false);
    expect(plain.requests[1]?.messages[0]?.content).toBe(DEFAULT_REFLECTION_PROMPT);
    expect(plain.requests[1]).not.toHaveProperty('parameters');
  });

  test('an empty reflection is not remembered', async () => {
    const bench = new Bench(agent(), ({ purpose }) => (purpose === 'reflect' ? ' \n' : 'answer'));
    await bench.episode('s1', 0, false);
    expect(bench.memory.recall().map(({ _type }) => _type)).toEqual(['experience']);
  });
});

describe('what a retry sees', () => {
  test.each<[ReflectionConfig['strategy'], { attempt: boolean; reflection: boolean }]>([
    ['none', { attempt: false, reflection: false }],
    ['last_attempt', { attempt: true, reflection: false }],
    ['reflexion', { attempt: false, reflection: true }],
    ['last_attempt_and_reflexion', { attempt: true, reflection: true }],
  ])('strategy %s', async (strategy, sees) => {
    const bench = new Bench(agent({ strategy }));
    await bench.episode('s1', 0, false);
    await bench.agent.reset({ sample_id: 's1', trial: 1, num_trials: 3 });
    await bench.agent.act('s1 obs 0');
    const prompt = bench.prompt();
    expect(prompt.includes('Your last attempt:\nObservation: s1 obs 0\nAction: act 1')).toBe(sees.attempt);
    expect(prompt.includes('act 1')).toBe(sees.attempt);
    expect(prompt.includes('Reflection: reflect 2')).toBe(sees.reflection);
    expect(prompt.endsWith('Observation: s1 obs 0')).toBe(true);
  });

  test('the last attempt is the trial before, not an older one and no other sample’s', async () => {
    const bench = new Bench(agent({ strategy: 'last_attempt' }, { history_k: 0 }));
    await bench.episode('s1', 0, false);
    await bench.episode('s1', 1, false);
    await bench.episode('s2', 1, false);
    await bench.agent.reset({ sample_id: 's1', trial: 2, num_trials: 3 });
    await bench.agent.act('again');
    expect(bench.prompt().match(/act \d/g)).toEqual(['act 2']);
  });

  test('the newest max_reflections, oldest first, in the answer and in the next reflection', async () => {
    const bench = new Bench(agent({ max_reflections: 2 }));
    for (const trial of [0, 1, 2]) await bench.episode('s1', trial, false);
    expect(bench.prompt().match(/Reflection: reflect \d/g)).toEqual([
      'Reflection: reflect 2',
      'Reflection: reflect 4',
    ]);
    await bench.agent.act('again');
    expect(bench.prompt().match(/Reflection: reflect \d/g)).toEqual([
      'Reflection: reflect 4',
      'Reflection: reflect 6',
    ]);
  });

  test('history_k shows other samples’ experience and this episode’s steps', async () => {
    const bench = new Bench(agent({ strategy: 'none' }));
    await bench.episode('s1', 0, false);
    await bench.episode('s2', 0, false, false);
    expect(bench.prompt().match(/act \d/g)).toEqual(['act 1', 'act 2']);
  });

  test('a snapshot keeps the steps that the reflection at the end is on', async () => {
    const bench = new Bench(agent());
    await bench.agent.reset({ sample_id: 's1', trial: 0, num_trials: 2 });
    await bench.agent.act('before');
    await bench.agent.observe('after', { correct: false, target: 'gold', message: 'no' }, false);
    const saved = JSON.parse(JSON.stringify(bench.agent.snapshot())) as JsonObject;
    const other = new Bench(agent());
    await other.agent.restore(saved);
    await other.agent.endEpisode();
    expect(other.prompt()).toContain('Observation: before');
  });
});

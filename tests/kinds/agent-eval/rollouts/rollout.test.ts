import { describe, expect, test } from 'vitest';
import type {
  AgentTurn,
  RolloutPlace,
  ToolTurn,
  UserTurn,
} from '../../../../src/kinds/agent-eval/contracts.js';
import {
  firstPlace,
  Rollout,
  type RolloutPorts,
  type RolloutRules,
} from '../../../../src/kinds/agent-eval/rollouts/rollout.js';

const COST = { lm_calls: 1, usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: 0 };
const BEGIN = firstPlace({ version: 0, database: 'base.db' });
const RULES: RolloutRules = { max_turns: 10, has_user: true, user_begins: false, stops_at_goal: false };

/** What a step answers: tool calls of a reply, whether the goal holds after a call, what the user does. */
type Scripted = number | { goal: boolean } | 'said' | 'stopped' | 'answered_and_left' | 'empty' | 'role_swap';

/** Plays a script; whoever is asked out of turn fails the test. */
class Script implements RolloutPorts {
  readonly asked: string[] = [];

  constructor(private readonly steps: Scripted[]) {}

  private take(who: string, { agent_turns, user_turns, user_faults, at }: RolloutPlace): Scripted {
    this.asked.push(`${who} ${agent_turns}.${user_turns}.${user_faults} v${at.version}`);
    const step = this.steps.shift();
    if (step === undefined) throw new Error(`${who} is asked after the end`);
    return step;
  }

  async agent(place: RolloutPlace): Promise<AgentTurn> {
    return { tool_calls: this.take('agent', place) as number, ...COST };
  }

  async tool(place: RolloutPlace, index: number): Promise<ToolTurn> {
    const step = this.take(`tool ${index}`, place) as { goal: boolean };
    const version = place.at.version + 1;
    return { at: { version, database: `${version}.db` }, ok: true, goal: step.goal };
  }

  async user(place: RolloutPlace): Promise<UserTurn> {
    const step = this.take('user', place);
    if (step === 'said' || step === 'stopped' || step === 'answered_and_left') return { kind: step, ...COST };
    return { kind: 'faulty', fault: step as 'empty', ...COST };
  }
}

const NO = { goal: false };

describe('a rollout', () => {
  test('lets the agent act on what a user answers who leaves with it', async () => {
    const script = new Script([0, 'answered_and_left', 1, NO, 0]);
    const outcome = await new Rollout(RULES, script, BEGIN).run();
    expect(script.asked.at(-1)).toBe('agent 2.1.0 v1');
    expect(outcome).toMatchObject({ ending: 'user_stop', place: { agent_turns: 3, user_turns: 1 } });
  });

  test('continues after a hand-over where the user has left', async () => {
    const script = new Script([0, 'answered_and_left', 1, NO, 0]);
    let replies = 0;
    const first = new Rollout(RULES, script, BEGIN);
    expect(await first.run(() => ++replies > 1)).toBeNull();
    const outcome = await new Rollout(RULES, script, first.place).run();
    expect(outcome).toMatchObject({ ending: 'user_stop', place: { agent_turns: 3, user_turns: 1 } });
  });

  test('ends with the user where the agent has no reply left', async () => {
    const outcome = await new Rollout(
      { ...RULES, max_turns: 1 },
      new Script([0, 'answered_and_left']),
      BEGIN,
    ).run();
    expect(outcome).toMatchObject({ ending: 'user_stop', place: { agent_turns: 1, user_turns: 1 } });
  });

  test('is replies, the tool calls of each in their order, and the user', async () => {
    const script = new Script([2, NO, NO, 0, 'said', 1, NO, 0, 'stopped']);
    const outcome = await new Rollout(RULES, script, BEGIN).run();
    expect(script.asked).toEqual([
      'agent 0.0.0 v0',
      'tool 0 1.0.0 v0',
      'tool 1 1.0.0 v1',
      'agent 1.0.0 v2',
      'user 2.0.0 v2',
      'agent 2.1.0 v2',
      'tool 0 3.1.0 v2',
      'agent 3.1.0 v3',
      'user 4.1.0 v3',
    ]);
    expect(outcome).toEqual({
      ending: 'user_stop',
      place: { agent_turns: 4, user_turns: 2, user_faults: 0, at: { version: 3, database: '3.db' } },
      user_fault: null,
    });
  });

  test.each<[string, Partial<RolloutRules>, Scripted[], string]>([
    ['the agent says something and there is no user', { has_user: false }, [1, NO, 0], 'agent_done'],
    ['the agent has had its replies', { max_turns: 2 }, [1, NO, 1, NO], 'max_turns'],
    ['the goal holds after a reply', { stops_at_goal: true }, [2, { goal: true }, { goal: true }], 'goal'],
    [
      'the goal held in between only',
      { stops_at_goal: true },
      [2, { goal: true }, NO, 0, 'stopped'],
      'user_stop',
    ],
    ['the goal holds and the row does not care', {}, [1, { goal: true }, 0, 'stopped'], 'user_stop'],
    ['the user begins, and stops', { user_begins: true }, ['said', 0, 'stopped'], 'user_stop'],
    ['the user comes to its senses', {}, [0, 'empty', 'role_swap', 'said', 0, 'stopped'], 'user_stop'],
  ])('ends where %s', async (_what, rules, steps, ending) => {
    const script = new Script(steps);
    const outcome = await new Rollout({ ...RULES, ...rules }, script, BEGIN).run();
    expect(outcome?.ending).toBe(ending);
    expect(steps).toEqual([]);
  });

  test('is given up where the simulated user does not play its part', async () => {
    const script = new Script([0, 'empty', 'empty', 'role_swap']);
    const outcome = await new Rollout(RULES, script, BEGIN).run();
    expect(outcome).toMatchObject({ ending: 'user_fault', user_fault: 'role_swap' });
    expect(script.asked.slice(1)).toEqual(['user 1.0.0 v0', 'user 1.0.1 v0', 'user 1.0.2 v0']);
  });

  test.each<[string, Partial<RolloutRules>, Scripted[]]>([
    ['', {}, [1, NO, 0, 'said', 1, NO, 0, 'stopped']],
    [', between two calls of a reply', {}, [3, NO, NO, NO, 0, 'stopped']],
    [', with a goal that held', { stops_at_goal: true }, [2, { goal: true }, { goal: true }]],
    [', in its last reply', { max_turns: 1 }, [2, NO, NO]],
  ])('continues where it was interrupted%s', async (_where, given, steps) => {
    const rules = { ...RULES, ...given };
    const whole = new Script([...steps]);
    const outcome = await new Rollout(rules, whole, BEGIN).run();
    const asked: string[] = [];
    let place = BEGIN;
    for (;;) {
      // The script is used up from one execution to the next.
      const script = new Script(steps);
      let replies = 0;
      const rollout = new Rollout(rules, script, JSON.parse(JSON.stringify(place)) as RolloutPlace);
      const ended = await rollout.run(() => replies++ > 0);
      asked.push(...script.asked);
      if (ended !== null) {
        expect(ended).toEqual(outcome);
        break;
      }
      place = rollout.place;
    }
    expect(asked).toEqual(whole.asked);
  });
});

import { describe, expect, test } from 'vitest';
import type { StoredCall } from '../../../../src/activities/call-store.js';
import type { GenerateReply, GenerateRequest } from '../../../../src/contracts/language-model.js';
import type { StoredResult } from '../../../../src/kinds/agent-eval/activities/rollout-results.js';
import { InfrastructureError, ToolRegistry, z } from '../../../../src/kinds/agent-eval/bundles/index.js';
import { defineReward } from '../../../../src/kinds/agent-eval/bundles/reward.js';
import { rolloutResultKey } from '../../../../src/kinds/agent-eval/paths.js';
import { firstPlace } from '../../../../src/kinds/agent-eval/rollouts/rollout.js';
import { LanguageModelError } from '../../../../src/language-models/errors.js';
import { readJson } from '../../../../src/storage/stored-file.js';
import {
  calls,
  deskAgent,
  deskTools,
  deskWorld,
  says,
  USAGE,
  type WorldOptions,
} from '../../../activities/agent-eval-support.js';

const COST = { lm_calls: 1, usage: USAGE };
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('it went well'),
    (error: unknown) => error as { type: string; message: string; nonRetryable: boolean },
  );

describe('a rollout', () => {
  test('is agent, tools and user in turn, each told what came before, and is judged', async () => {
    const world = deskWorld({
      config: {
        models: { agent: { model: 'openai/fake', base_url: 'http://x/v1' } },
        agent: { system_prompt: 'Be kind on {{today+1}}.' },
      },
    });
    await world.prepared();
    const { outcome, result, totals } = await world.play([world.worker()]);
    expect(outcome).toMatchObject({ ending: 'user_stop', place: { agent_turns: 3, user_turns: 1 } });
    expect(result).toEqual({ status: 'done', score: 1, error: null });
    expect(totals).toMatchObject({ agent_turns: 3, tool_calls: 2, tool_calls_failed: 0, lm_calls: 4 });

    const [first, second, third, user] = world.asked;
    expect(first?.tools?.map(({ name }) => name)).toEqual(['book', 'pay']);
    expect(first?.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'system: Be kind on 2026-03-03.',
      'system: the policy',
      'user: A seat on flight 1, please.',
    ]);
    expect(second?.messages.slice(3).map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(third?.messages.at(-1)).toEqual({ role: 'tool', content: 'paid', tool_call_id: 'c0' });
    expect(user?.call).toEqual({ sample_id: 'desk.001', trial: 0, purpose: 'user', ordinal: 0 });
    expect(user?.messages.slice(1)).toEqual([
      { role: 'user', content: 'The chat is open, and you write first.' },
      { role: 'assistant', content: 'A seat on flight 1, please.' },
      { role: 'user', content: 'Your seat is paid.' },
    ]);

    const { row } = JSON.parse(world.text(rolloutResultKey('desk.001', 0))) as StoredResult;
    expect(row).toMatchObject({
      task_id: 'desk.001',
      trial: 0,
      status: 'done',
      ending: 'user_stop',
      reward: 1,
      reason: 'after 3 replies',
      metrics: { goal: { score: 1, reason: '' } },
      error: null,
      user_turns: 1,
      tool_calls: 2,
      started_at: '2026-03-02T09:00:00.000Z',
      seconds: 5,
    });
    expect(row.database).toBe(`runs/desk.001/roll_${row.rollout_id}.db`);
    expect(row.rollout_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(world.keys('runs/desk.001/base.db')).toHaveLength(1);
  });

  test('goes by what agent and user say, and shows neither the thoughts of the other', async () => {
    const world = deskWorld({
      agent: (request) =>
        request.call.ordinal === 0
          ? says('<think>Ask first: ###STOP### is for the user.</think>\nWhich seat?')
          : deskAgent({ ...request, call: { ...request.call, ordinal: request.call.ordinal - 1 } }),
      user: ({ call }) =>
        says(
          call.ordinal === 0
            ? '<think>\nNot yet ###STOP###.\n</think>\n\nAny seat.'
            : '[THINK]It is paid.[/THINK]Thanks! ###STOP###',
        ),
    });
    await world.prepared();
    const { outcome, result } = await world.play([world.worker()]);
    expect(outcome).toMatchObject({ ending: 'user_stop', place: { agent_turns: 4, user_turns: 2 } });
    expect(result.score).toBe(1);
    const shown = world.asked.flatMap(({ messages }) => messages.map(({ content }) => content)).join('\n');
    expect(shown).toContain('Which seat?');
    expect(shown).toContain('Any seat.');
    expect(shown).not.toMatch(/think|Ask first|Not yet/i);
  });

  test('ends, and is judged, where the agent goes no further than its thoughts', async () => {
    const world = deskWorld({ agent: () => says('<think>Which seat? I wonder') });
    await world.prepared();
    const { outcome, result } = await world.play([world.worker()]);
    expect(outcome).toMatchObject({ ending: 'cut_off', place: { agent_turns: 1, user_turns: 0 } });
    expect(result).toMatchObject({ status: 'done', score: 0, error: null });
  });

  test('makes every tool call of a reply, and tells the agent which failed', async () => {
    const world = deskWorld({
      agent: ({ call }) =>
        call.ordinal === 0
          ? calls(['book', { flight: 1 }], ['book', { flight: 'one' }], ['fly', {}], ['book', { flight: 1 }])
          : says('Booked twice.'),
      row: { tools_allowed: ['book'] },
    });
    await world.prepared();
    const { totals, result } = await world.play([world.worker()]);
    expect(totals).toMatchObject({ tool_calls: 4, tool_calls_failed: 2 });
    expect(result).toMatchObject({ status: 'done', score: 0 });
    const told = world.asked[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(told.map(({ tool_call_id }) => tool_call_id)).toEqual(['c0', 'c1', 'c2', 'c3']);
    expect(told[1]?.content).toContain('flight');
    expect(told[2]?.content).toContain("no tool 'fly'");
    expect(world.asked[0]?.tools?.map(({ name }) => name)).toEqual(['book']);
  });

  test('refuses the tool calls of a reply that are too many, and tells the agent', async () => {
    const config = { models: { agent: { model: 'openai/fake' } }, agent: { max_tool_calls_per_reply: 2 } };
    const book: [string, object] = ['book', { flight: 1 }];
    const world = deskWorld({
      config,
      agent: ({ call }) => (call.ordinal === 0 ? calls(book, book, book, book) : says('Booked.')),
    });
    await world.prepared();
    const { outcome, result } = await world.play([world.worker(), world.worker()]);
    expect(outcome).toMatchObject({ ending: 'user_stop', place: { agent_turns: 2, at: { version: 2 } } });
    expect(result.status).toBe('done');
    expect(world.ran).toEqual(['book', 'book']);
    const told = world.asked[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(told.map(({ tool_call_id }) => tool_call_id)).toEqual(['c0', 'c1', 'c2', 'c3']);
    expect(told[3]?.content).toContain('of the 4 tool calls of a reply, only the first 2 are');
    const first = { ...world.name, place: firstPlace({ version: 0, database: 'runs/desk.001/base.db' }) };
    const turn = await world.worker()().agentTurn(first);
    expect(turn).toMatchObject({ tool_calls: 2, tool_calls_refused: 2 });
  });

  test('ends with its goal where the row says so', async () => {
    const world = deskWorld({ row: { stop_at_goal: true } });
    await world.prepared();
    const { outcome, result } = await world.play([world.worker()]);
    expect(outcome).toMatchObject({ ending: 'goal', place: { agent_turns: 2, user_turns: 0 } });
    expect(result.score).toBe(1);
  });

  test.each(['DROP TABLE bookings', 'ALTER TABLE bookings RENAME TO sold'])(
    'scores 0 where the agent has done %s, which goal and reward read',
    async (sql) => {
      const tools = () => {
        const registry = new ToolRegistry('desk');
        registry.tool(
          'run_sql',
          { description: 'Runs.', parameters: z.object({ sql: z.string() }) },
          (given, { db }) => db.execute(given.sql),
        );
        return { registry, ran: [] };
      };
      const agent = ({ call }: GenerateRequest) =>
        call.ordinal === 0 ? calls(['run_sql', { sql }]) : says('Done.');
      const world = deskWorld({ row: { stop_at_goal: true }, tools, agent });
      await world.prepared();
      const { outcome, result } = await world.play([world.worker()]);
      expect(outcome.ending).toBe('user_stop');
      expect(result).toEqual({ status: 'done', score: 0, error: null });
      const { row } = (await readJson<StoredResult>(
        world.store,
        rolloutResultKey('desk.001', 0),
      )) as StoredResult;
      expect(row.reason).toBe('the reward cannot read what the agent has left: no such table: bookings');
    },
  );

  test('has a goal that does not run for its error, which is no score', async () => {
    const world = deskWorld({ row: { stop_at_goal: true, end_goal_sql: 'SELECT x' } });
    await world.prepared();
    const failure = await failureOf(world.play([world.worker()]));
    expect(failure).toMatchObject({ type: 'GoalError', nonRetryable: true });
    expect(failure.message).toContain('end_goal_sql of desk.001: no such column: x');
  });

  test('of which a worker has forgotten everything continues from the store', async () => {
    const world = deskWorld();
    await world.prepared();
    const fresh = Array.from({ length: 20 }, () => world.worker());
    let turn = 0;
    // Every step is another process's.
    const each = {
      get length() {
        return 1;
      },
      get 0() {
        return fresh[turn++ % fresh.length];
      },
    };
    const { result } = await world.play(each as unknown as typeof fresh);
    expect(result.score).toBe(1);
    expect(world.asked).toHaveLength(4);
  });
});

describe('the agent', () => {
  test('is never asked twice for a reply', async () => {
    const world = deskWorld();
    await world.prepared();
    const at = await world.worker()().beginRollout(world.name);
    const step = { ...world.name, place: firstPlace(at) };
    const turns = [await world.worker()().agentTurn(step), await world.worker()().agentTurn(step)];
    expect(turns[0]).toMatchObject({ tool_calls: 1, ...COST });
    expect(turns[1]).toEqual(turns[0]);
    expect(world.asked).toHaveLength(1);
  });

  test('asked by two workers at once is heard once', async () => {
    let replies = 0;
    const world = deskWorld({
      agent: () => (replies++ === 0 ? says('one') : calls(['book', { flight: 1 }], ['book', { flight: 1 }])),
    });
    await world.prepared();
    const at = await world.worker()().beginRollout(world.name);
    const step = { ...world.name, place: firstPlace(at) };
    const turns = await Promise.all([world.worker(), world.worker()].map((one) => one().agentTurn(step)));
    expect(replies).toBe(2);
    expect(turns[0]).toEqual(turns[1]);
  });

  test.each([
    ['says nothing', () => says(' '), 'EmptyReply', "the model's reply is empty (finish reason: stop)"],
    [
      'is not heard by its provider',
      () => {
        throw new LanguageModelError('bad_request', 'the prompt is too long', { provider: 'fake' });
      },
      'bad_request',
      'the prompt is too long',
    ],
  ])('that %s ends the rollout with an error', async (_what, agent, type, message) => {
    const world = deskWorld({ agent, row: { metadata: { level: 'easy' } } });
    await world.prepared();
    const at = await world.worker()().beginRollout(world.name);
    const step = { ...world.name, place: firstPlace(at) };
    const failure = await failureOf(world.worker()().agentTurn(step));
    expect(failure).toMatchObject({ type, message, nonRetryable: true });
    const ended = await world
      .worker()()
      .endRollout(world.ended({ error: { type, message } }));
    expect(ended).toEqual({ status: 'error', score: null, error: { type, message } });
    const { row } = JSON.parse(world.text(rolloutResultKey('desk.001', 0))) as StoredResult;
    expect(row).toMatchObject({ question: 'A seat on flight 1, please.', metadata: { level: 'easy' } });
  });

  test('is asked with its thoughts so far, which are recorded with the reply that has them alone', async () => {
    const asked: GenerateRequest['messages'][] = [];
    const as_given = { thoughts: { reasoning: 'Flight 1.' } };
    const world = deskWorld({
      row: { sim_user_prompt: null },
      agent: ({ call, messages }) => {
        asked.push(messages);
        return call.ordinal === 0
          ? { ...calls(['book', { flight: 1 }]), reasoning: 'Flight 1.', as_given }
          : says('Booked.');
      },
    });
    await world.prepared();
    await world.play([world.worker()]);
    const thoughts = asked.map((messages) => messages.flatMap(({ reasoning = [] }) => reasoning));
    expect(thoughts).toEqual([[], ['Flight 1.']]);
    expect(asked[1]?.find(({ role }) => role === 'assistant')).toMatchObject({ as_given });
    const recorded = world.keys('pending/').map((key) => JSON.parse(world.text(key)) as StoredCall);
    const messages = recorded.flatMap(({ record }) => record.messages);
    expect(recorded.map(({ record }) => record.reasoning)).toContain('Flight 1.');
    expect(recorded.map(({ record }) => record.as_given)).toContainEqual(as_given);
    expect(messages.filter((message) => 'reasoning' in message || 'as_given' in message)).toEqual([]);
  });

  /** An agent that makes one call, says these words, and has nothing to say from then on. */
  const silentAfter =
    (words: string[], silence: Partial<GenerateReply> = {}) =>
    ({ call }: GenerateRequest): GenerateReply => {
      const said = words[call.ordinal - 1];
      if (call.ordinal === 0) return calls(['book', { flight: 1 }]);
      return said === undefined ? { ...says(''), ...silence } : says(said);
    };
  const left = () => says('No, that is all. ###STOP###');

  test.each<[string, string, WorldOptions]>([
    ['its tools have answered and the row has no user', 'agent_done', { row: { sim_user_prompt: null } }],
    [
      'the user has answered and left',
      'user_stop',
      { agent: silentAfter(['Booked. Shall I print it?']), user: left },
    ],
  ])('that says nothing more where %s ends the rollout, which is judged', async (_where, ending, world) => {
    const { prepared, play, worker, store } = deskWorld({ agent: silentAfter([]), ...world });
    await prepared();
    const { outcome, result, totals } = await play([worker()]);
    expect(outcome.ending).toBe(ending);
    expect(result).toEqual({ status: 'done', score: 0, error: null });
    expect(outcome.place.agent_turns).toBe(totals.agent_turns);
    const { row } = (await readJson<StoredResult>(store, rolloutResultKey('desk.001', 0))) as StoredResult;
    expect(row.reason).toBe(`after ${totals.agent_turns} replies`);
  });

  const alone: WorldOptions = { row: { sim_user_prompt: null } };
  test.each<[string, WorldOptions]>([
    ['a user is still there', { agent: silentAfter([]) }],
    ['it is its first reply', { ...alone, agent: () => says('') }],
    [
      'no token of it is reported',
      { ...alone, agent: silentAfter([], { usage: { ...USAGE, output_tokens: 0 } }) },
    ],
    [
      'all of its tokens are reasoning',
      { ...alone, agent: silentAfter([], { usage: { ...USAGE, reasoning_tokens: USAGE.output_tokens } }) },
    ],
    ['its tokens are only estimated', { ...alone, agent: silentAfter([], { usage_estimated: true }) }],
    ['something else ended it', { ...alone, agent: silentAfter([], { finish_reason: 'unknown' }) }],
  ])('that says nothing more where %s ends the rollout with an error', async (_where, options) => {
    const world = deskWorld(options);
    await world.prepared();
    expect(await failureOf(world.play([world.worker()]))).toMatchObject({ type: 'EmptyReply' });
  });

  const cutOff = (text: string) => () => ({
    ...says(text),
    reasoning: 'Let me see',
    finish_reason: 'length' as const,
  });

  test('whose token limit left it without a word ends the rollout, which is judged', async () => {
    const world = deskWorld({ agent: cutOff('') });
    await world.prepared();
    const { result } = await world.play([world.worker()]);
    expect(result).toMatchObject({ status: 'done', score: 0, error: null });
    const { row } = JSON.parse(world.text(rolloutResultKey('desk.001', 0))) as StoredResult;
    expect(row).toMatchObject({ ending: 'cut_off', reward: 0, agent_turns: 1, user_turns: 0 });
    expect(row.cut_off).toMatchObject({
      replies: 1,
      message: expect.stringContaining('raise models.agent.max_output_tokens'),
    });
  });

  const fullAfter = (replies: number) => (request: GenerateRequest) => {
    if (request.call.ordinal < replies) return calls(['book', { flight: 1 }]);
    throw new LanguageModelError('context_full', 'no room: 17011 of 16384 tokens', { provider: 'openai' });
  };

  test('that its context has no room for any more ends the rollout, which is judged', async () => {
    const world = deskWorld({ agent: fullAfter(2) });
    await world.prepared();
    const { outcome, totals, result } = await world.play([world.worker()]);
    expect(outcome).toMatchObject({ ending: 'cut_off', place: { agent_turns: 3 } });
    expect(totals).toMatchObject({ lm_calls: world.asked.length, tool_calls: 2 });
    expect(result).toMatchObject({ status: 'done', score: 0, error: null });
    const { row } = JSON.parse(world.text(rolloutResultKey('desk.001', 0))) as StoredResult;
    expect(row.cut_off).toMatchObject({
      replies: 1,
      output_tokens: 0,
      message:
        'the conversation has filled the context before the reply began: no room: 17011 of 16384 tokens',
    });
  });

  const strict = {
    provider: 'openai',
    model: 'fake',
    base_url: 'http://127.0.0.1:9/v1',
    on_cut_off: 'error',
  };
  test.each<[string, WorldOptions]>([
    ['the row alone is too long for it', { agent: fullAfter(0) }],
    ['the config says so', { agent: fullAfter(2), config: { models: { agent: strict } } }],
    [
      'it is the user whose context is full',
      {
        agent: () => says('And then?'),
        user: ({ call }) => {
          if (call.ordinal === 0) return says('Book me a seat.');
          throw new LanguageModelError('context_full', 'no room', { provider: 'openai' });
        },
      },
    ],
  ])('that its context has no room for is an error where %s', async (_where, options) => {
    const world = deskWorld(options);
    await world.prepared();
    expect(await failureOf(world.play([world.worker()]))).toMatchObject({ type: 'context_full' });
  });

  test('whose token limit left it some words continues with them', async () => {
    const world = deskWorld({ agent: cutOff('I look for') });
    await world.prepared();
    await world.play([world.worker()]);
    const { row } = JSON.parse(world.text(rolloutResultKey('desk.001', 0))) as StoredResult;
    expect(row).toMatchObject({ ending: 'user_stop', cut_off: { replies: 1 } });
  });

  test('that its token limit cut off is an error where the config says so', async () => {
    const lm = { provider: 'openai', model: 'fake', base_url: 'http://127.0.0.1:9/v1', on_cut_off: 'error' };
    const world = deskWorld({ agent: cutOff('I look for'), config: { models: { agent: lm } } });
    await world.prepared();
    const at = await world.worker()().beginRollout(world.name);
    const failure = await failureOf(
      world
        .worker()()
        .agentTurn({ ...world.name, place: firstPlace(at) }),
    );
    expect(failure).toMatchObject({ type: 'CutOff', nonRetryable: true, details: [COST] });
  });

  test('that says nothing says what that cost', async () => {
    const world = deskWorld({ agent: () => says('') });
    await world.prepared();
    const at = await world.worker()().beginRollout(world.name);
    const failure = await failureOf(
      world
        .worker()()
        .agentTurn({ ...world.name, place: firstPlace(at) }),
    );
    expect(failure).toMatchObject({ details: [COST] });
  });

  test('is asked again where its provider was busy, as often as the config says', async () => {
    let tries = 0;
    const world = deskWorld({
      agent: (request) => {
        if (tries++ < 2) throw new LanguageModelError('overloaded', 'busy', { provider: 'fake' });
        return deskAgent(request);
      },
    });
    await world.prepared();
    expect((await world.play([world.worker()])).result.score).toBe(1);
  });
});

describe('the user', () => {
  test('that is faulty is asked again, and told why; its faults are no part of the conversation', async () => {
    const tries = ['', 'How can I help you today?', 'Is it paid?', 'Thanks, bye. ###STOP###'];
    const world = deskWorld({ user: () => says(tries.shift() ?? '') });
    await world.prepared();
    const { outcome, totals } = await world.play([world.worker()]);
    expect(outcome).toMatchObject({ ending: 'user_stop', place: { user_turns: 2, agent_turns: 4 } });
    expect(totals.lm_calls).toBe(4 + 4);
    const users = world.asked.filter(({ call }) => call.purpose === 'user');
    expect(users.map(({ call }) => call.ordinal)).toEqual([0, 1, 2, 3]);
    const system = users.map(({ messages }) => messages[0]?.content ?? '');
    expect(system[1]).toContain('it was empty.');
    expect(system[2]).toContain('spoke as the assistant');
    expect(system[3]).toBe(system[0]);
    const last = world.asked.findLast(({ call }) => call.purpose === 'agent');
    expect(last?.messages.at(-1)).toEqual({ role: 'user', content: 'Is it paid?' });
  });

  test('that does not come to its senses spoils the rollout, which is not judged', async () => {
    const world = deskWorld({
      user: () => says('Agent: Sure!'),
      reward: defineReward(() => expect.fail('it was judged')),
    });
    await world.prepared();
    const { outcome, result } = await world.play([world.worker()]);
    expect(outcome).toMatchObject({ ending: 'user_fault', user_fault: 'role_swap' });
    expect(result).toMatchObject({ status: 'user_fault', score: null, error: { type: 'user_fault' } });
  });

  test('may be a person, whose words are found again and cost nothing', async () => {
    const world = deskWorld({ config: { models: { user: 'human' } } });
    await world.prepared();
    const { outcome, totals, result } = await world.play([world.worker()], {
      said: ['And a window, please', 'thanks ###stop###'],
    });
    expect(outcome).toMatchObject({ ending: 'user_stop', place: { user_turns: 2 } });
    expect(totals.lm_calls).toBe(4);
    expect(result.score).toBe(1);
    const place = { ...outcome.place, agent_turns: 3, user_turns: 0 };
    const again = await world
      .worker()()
      .userTurn({ ...world.name, place, said: 'something else ###STOP###' });
    expect(again.kind).toBe('said');
    expect(world.asked.at(-1)?.messages.at(-1)).toEqual({ role: 'user', content: 'And a window, please' });
  });

  test('begins where the row has no message of it', async () => {
    const said = ['Flight 1, please.', '###STOP###'];
    const world = deskWorld({
      row: { initial_messages: [{ role: 'system', content: 'p' }] },
      user: () => says(said.shift() ?? ''),
    });
    await world.prepared();
    const { outcome } = await world.play([world.worker()]);
    expect(outcome.place).toMatchObject({ user_turns: 2, agent_turns: 3 });
    expect(world.asked.map(({ call }) => call.purpose)).toEqual(['user', 'agent', 'agent', 'agent', 'user']);
    expect(world.asked[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'Flight 1, please.' });
  });
});

describe('the end', () => {
  /** A rollout in which nothing has happened, at its end. */
  async function atItsEnd(judge: Parameters<typeof defineReward>[0]) {
    const world = deskWorld({ reward: defineReward(judge) });
    await world.prepared();
    const worker = world.worker();
    const place = firstPlace(await worker().beginRollout(world.name));
    const input = world.ended({ outcome: { ending: 'max_turns', place, user_fault: null } });
    return { end: (attempt: number) => worker(attempt).endRollout(input) };
  }

  test.each<[string, Parameters<typeof defineReward>[0], string]>([
    [
      'fails',
      () => {
        throw new Error('no such column');
      },
      'the reward failed: no such column',
    ],
    ['answers no score', () => ({ score: Number.NaN }), 'score: must be a finite number'],
  ])('whose reward %s is an error and never a score', async (_what, judge, message) => {
    const { end } = await atItsEnd(judge);
    const ended = await end(1);
    expect(ended).toMatchObject({ status: 'error', score: null, error: { type: 'RewardError' } });
    expect(ended.error?.message).toContain(message);
  });

  test('whose reward lacks something outside is judged again, and an error where that lasts', async () => {
    const { end } = await atItsEnd(() => {
      throw new InfrastructureError('the oracle server is unreachable');
    });
    await expect(end(1)).rejects.toThrow('the oracle server is unreachable');
    expect(await end(8)).toEqual({
      status: 'error',
      score: null,
      error: { type: 'InfrastructureError', message: 'the oracle server is unreachable' },
    });
  });

  test('is judged once an execution, and again in the next one after an error', async () => {
    let judged = 0;
    const world = deskWorld({ reward: defineReward(() => ({ score: ++judged / 10 })) });
    await world.prepared();
    const { input, result } = await world.play([world.worker()]);
    expect(await world.worker()().endRollout(input)).toEqual(result);
    expect(judged).toBe(1);
    const next = await world
      .worker()()
      .endRollout({ ...input, run: input.run.replace('-1', '-2') });
    expect(next.score).toBe(0.2);
  });

  test('keeps what a reward writes out of the database', async () => {
    const writing = deskWorld({
      reward: defineReward(async ({ db }) => {
        await db.execute('DELETE FROM bookings');
        return { score: 1 };
      }),
    });
    const reading = deskWorld();
    const hashes = [writing, reading].map(async (world) => {
      await world.prepared();
      await world.play([world.worker()]);
      return (JSON.parse(world.text(rolloutResultKey('desk.001', 0))) as StoredResult).row.content_hash;
    });
    const [one, other] = await Promise.all(hashes);
    expect(one).toBe(other);
  });
});

test('a tool that lacks something outside is tried again, and becomes the error of its rollout where that lasts', async () => {
  let unreachable = 3;
  const tools = () => {
    const desk = deskTools();
    desk.registry.tool('ask_hotel', { description: 'd', parameters: z.object({}) }, () => {
      if (unreachable-- > 0) throw new InfrastructureError('the hotel is unreachable');
      return 'a room';
    });
    return desk;
  };
  const agent = ({ call }: { call: { ordinal: number } }) =>
    call.ordinal === 0 ? calls(['ask_hotel', {}]) : says('A room is free.');
  const world = deskWorld({ tools, agent });
  await world.prepared();
  expect((await world.play([world.worker()])).result.status).toBe('done');

  unreachable = Number.POSITIVE_INFINITY;
  const other = deskWorld({ tools, agent });
  await other.prepared();
  const failure = await failureOf(other.play([other.worker()]));
  expect(failure).toMatchObject({
    type: 'InfrastructureError',
    message: 'the hotel is unreachable',
    nonRetryable: true,
  });
});

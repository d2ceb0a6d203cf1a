import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BundleRow } from '../../../../src/kinds/agent-eval/bundles/contracts.js';
import {
  type PlayOptions,
  playBundle,
  playedText,
} from '../../../../src/kinds/agent-eval/commands/bundle-play.js';
import type { Terminal } from '../../../../src/kinds/agent-eval/workbench/person.js';
import { folderWith } from '../../../support/configs.js';
import { flightBundle } from '../bundles/flight.js';

/** A terminal at which somebody types these lines and leaves. */
function typing(lines: string[]): { terminal: Terminal; screen: () => string } {
  const written: string[] = [];
  const left = [...lines];
  const terminal: Terminal = {
    say: (text) => void written.push(text),
    ask: async (prompt) => {
      const typed = left.shift() ?? null;
      written.push(`${prompt}${typed ?? '^D'}`);
      return typed;
    },
  };
  return { terminal, screen: () => written.join('\n') };
}

async function play(
  lines: string[],
  { script = '', row = {}, ...options }: Partial<PlayOptions> & { script?: string; row?: Partial<BundleRow> },
) {
  const folder = folderWith({ 'script.yaml': script });
  const { terminal, screen } = typing(lines);
  const model = script === '' ? {} : { model: `scripted/${join(folder, 'script.yaml')}` };
  const all: PlayOptions = { as: 'user', ...model, ...options };
  const played = await playBundle(flightBundle([row]), 'flight.booking.001', all, {
    terminal,
    environment: {},
  });
  return { ...played, screen: screen(), text: playedText(played) };
}

const BOOKS = `
- match: cheapest
  replies:
    - tool_calls: [{ name: search, arguments: { day: '2026-03-03' } }]
    - Shall I book flight 2?
- match: (?i)yes
  replies:
    - { text: '', tool_calls: [{ name: book, arguments: { flight: 2 } }] }
    - ''
    - tool_calls: [{ name: book, arguments: { flight: 2 } }]
    - It is reserved, but not paid.
`;

describe('a person as the user', () => {
  test('talks with the agent, sees its calls, and is told the reward', async () => {
    const { screen, text, outcome, messages } = await play(['yes, please', 'Thanks. ###STOP###'], {
      script: BOOKS,
    });
    expect(outcome?.ending).toBe('user_stop');
    expect(screen).toMatch(
      /You are Alice\.\nuser: Book me the cheapest flight[\s\S]* {2}search \{"day":"2026-03-03"\}\n {2}→ \[\{"id":2/,
    );
    expect(screen).toContain('assistant: Shall I book flight 2?\nuser> yes, please');
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'Thanks.' });
    expect(text).toBe('Ended: user stop\nReward: 0 (not done)');
  });

  test('does not see the instructions of the agent', async () => {
    const initial_messages = [
      { role: 'system' as const, content: 'Secret rules.' },
      { role: 'user' as const, content: 'cheapest' },
    ];
    const { screen } = await play(['###STOP###'], { script: BOOKS, row: { initial_messages } });
    expect(screen).not.toContain('Secret rules.');
  });

  test('who leaves is told what the row has come to', async () => {
    const { text, outcome } = await play([''], { script: BOOKS });
    expect(outcome).toBeNull();
    expect(text).toContain('Ended: left\nReward: 0');
  });
});

const CUSTOMER = "- match: Which day\n  reply: Tomorrow.\n- reply: 'Thank you. ###STOP###'\n";

describe('a person as the agent', () => {
  test('calls tools and solves the row', async () => {
    const lines = ['/tools', 'Which day?', '/search {"day": "2026-03-03"}', '/book {"flight": "two"}'];
    const booked = await play([...lines, '/book {"flight": 2}', 'Booked.'], {
      as: 'agent',
      script: CUSTOMER,
    });
    expect(booked.outcome?.ending).toBe('user_stop');
    expect(booked.screen).toContain('/search {"day": …}  Flights.');
    expect(booked.screen).toContain('user: Tomorrow.\nagent> /search');
    expect(booked.screen).toContain('flight: must be a number');
    expect(booked.screen).toMatch(/→ \{"booking_id":"[0-9a-f]{8}"\}/);
    expect(booked.text).toContain('Reward: 0 (not done)');
  });

  test('alone with the tools, where the row has no user', async () => {
    const row = { sim_user_prompt: null, end_goal_sql: 'SELECT COUNT(*) = 1 FROM bookings' };
    const { outcome, text } = await play(['/book {"flight": 2}', 'Done.'], { as: 'agent', row });
    expect(outcome?.ending).toBe('agent_done');
    expect(text).toBe('Ended: agent done\nReward: 1 (done)');
  });

  test('is stopped at the goal where the row says so', async () => {
    const row = {
      sim_user_prompt: null,
      stop_at_goal: true,
      end_goal_sql: 'SELECT COUNT(*) = 1 FROM bookings',
    };
    const { outcome } = await play(['/search {"day": "2026-03-03"}', '/book {"flight": 2}', 'no'], {
      as: 'agent',
      row,
    });
    expect(outcome).toMatchObject({ ending: 'goal', place: { agent_turns: 2 } });
  });

  test('asks a faulty user again, and gives up after three tries', async () => {
    const { screen, outcome } = await play(['Hello.'], {
      as: 'agent',
      script: "- reply: 'How can I help you today?'\n",
    });
    expect(screen.match(/did not play its part/g)).toHaveLength(3);
    expect(outcome).toMatchObject({ ending: 'user_fault', user_fault: 'role_swap' });
  });
});

describe('what cannot be played', () => {
  test.each<[string, Partial<PlayOptions>, string]>([
    ['no model', {}, '--model: is missing, and MODEL_AGENT is not set: which model is the agent?'],
    ['no model of the user', { as: 'agent' }, 'MODEL_SIM is not set: which model is the user?'],
    ['a model without a provider', { model: 'gpt-4o' }, "--model: 'gpt-4o' does not begin with a provider"],
    ['a script that is not there', { model: 'scripted/no.yaml' }, '--model: there is no file at no.yaml'],
    ['a model without a key', { model: 'openai/x' }, 'OPENAI_API_KEY'],
  ])('%s', async (_what, options, message) => {
    await expect(play([], options)).rejects.toThrow(message);
  });

  test('a row that is not there', async () => {
    const { terminal } = typing([]);
    const surroundings = { terminal, environment: {} };
    await expect(playBundle(flightBundle(), 'x', { as: 'user' }, surroundings)).rejects.toThrow(
      "there is no row 'x'; there are flight.booking.001",
    );
  });
});

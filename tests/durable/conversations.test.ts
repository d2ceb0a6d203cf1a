import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import { Workplace } from '../support/workplace.js';

const CITIES = {
  Norway: 'Oslo',
  Chile: 'Santiago',
  Peru: 'Lima',
  Chad: 'N’Djamena',
  Fiji: 'Suva',
  Iran: 'Tehran',
};

const rows = Object.entries(CITIES).map(([country, answer], index) => ({
  id: country,
  messages: [
    { role: 'user', content: 'I ask about capitals.' },
    { role: 'assistant', content: 'Go on.' },
    { role: 'user', content: `${country}?` },
  ],
  answer,
  half: index % 2,
}));

test('a run of conversations with examples that was cut off continues with the same examples, and so does a replay', async () => {
  const place = await Workplace.make();
  onTestFinished(() => place.dispose());
  await place.write('rows.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await place.write('script.yaml', [{ match: '^(Norway|Chad)\\?$', reply: 'Oslo' }, { reply: 'Lima' }]);
  await place.write('chat.yaml', {
    dataset: {
      dataset_path: 'rows.jsonl',
      id_field: 'id',
      input_field: 'messages',
      system: 'Capitals of {id}.',
      few_shot: { count: 2 },
      select: { where: { half: [0, 1] }, random: 5 },
    },
    lm: { model: 'scripted/x', script: 'script.yaml' },
    runtime: { num_trials: 2, concurrency: 2 },
    seed: 2,
  });
  const finished = async (name: string) =>
    (await readFile(place.path('results', name, 'calls.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as CallRecord);

  const cutOff = await place.start(['run', 'chat.yaml', '--set', 'limits.max_lm_calls=3']).done;
  expect(cutOff.code, cutOff.stderr).toBe(3);
  const first = await finished('chat');
  expect(first).toHaveLength(3);
  const continued = await place.start(['run', 'chat.yaml']).done;
  expect(continued.code, continued.stderr).toBe(0);
  const calls = await finished('chat');
  expect(calls).toHaveLength(10);
  const questions = new Set<string>();
  for (const { sample_id, trial, messages } of calls) {
    const before = first.find((call) => call.sample_id === sample_id && call.trial === trial);
    if (before !== undefined) expect(messages).toEqual(before.messages);
    const asked = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      ...Array<string[]>(2).fill(['user', 'assistant', 'user', 'assistant']).flat(),
      ...['user', 'assistant', 'user'],
    ]);
    expect(messages[0]?.content).toBe(`Capitals of ${sample_id}.`);
    // The second trial shows what is remembered of the first above its question.
    expect(asked.slice(0, -1)).not.toContain(`${sample_id}?`);
    expect(asked.at(-1)).toMatch(
      new RegExp(trial === 0 ? `^${sample_id}\\?$` : `\nObservation: ${sample_id}\\?$`),
    );
    questions.add(sample_id);
  }
  expect(questions.size).toBe(5);

  const lm = '{provider: replay, recording: results/chat/calls.jsonl}';
  const replayed = await place.start(['run', 'chat.yaml', '--name', 'again', '--set', `lm=${lm}`]).done;
  expect(replayed.code, replayed.stderr).toBe(0);
  const messagesOf = (all: CallRecord[]) =>
    all.map(({ sample_id, trial, messages }) => [sample_id, trial, messages]);
  expect(messagesOf(await finished('again'))).toEqual(messagesOf(calls));
  expect((await place.metrics('again')).correct).toBe((await place.metrics('chat')).correct);
});

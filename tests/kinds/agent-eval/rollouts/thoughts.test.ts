import { expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/contracts/language-model.js';
import { withThoughts } from '../../../../src/kinds/agent-eval/rollouts/thoughts.js';

const say = (role: ChatMessage['role'], content: string): ChatMessage => ({ role, content });
/** The row begins with a reply that the agent has not written. */
const chat = [say('user', 'Hi'), say('assistant', 'Hello'), say('user', 'Look'), say('assistant', 'I see')];
const more = [...chat, say('user', 'And now?'), say('assistant', 'Nothing')];

test('each reply of the agent has its thoughts, and what the row begins with has none', () => {
  const thought = withThoughts(more, [{ reasoning: 'It is blue.' }, { reasoning: '' }]).map(
    ({ reasoning }) => reasoning,
  );
  expect(thought).toEqual([undefined, undefined, undefined, 'It is blue.', undefined, '']);
});

test.each([[[]], [[{ reasoning: '' }, {}]]])('a chat without thoughts stays as it is: %j', (thoughts) => {
  expect(withThoughts(more, thoughts)).toEqual(more);
});

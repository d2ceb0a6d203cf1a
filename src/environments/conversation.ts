import type { BegunEpisode, ResetOutcome, Task } from '../contracts/environment.js';
import type { ChatMessage } from '../contracts/language-model.js';
import { fillTemplate } from '../contracts/template.js';

/** Returns a task as its environment sees it: the question of a conversation is the user's last message. */
export function askedTask(task: Task): Task {
  const last = task.messages?.at(-1);
  return last === undefined ? task : { ...task, question: last.content };
}

/**
 * Puts the first observation of an environment, which is the question with its choices and instructions, in the place of
 * the user's last message.
 */
export function inConversation({ question, messages }: Task, outcome: ResetOutcome): BegunEpisode {
  const last = messages?.at(-1);
  if (messages === undefined || last === undefined) return outcome;
  const before = question.slice(0, question.length - last.content.length);
  return {
    ...outcome,
    obs: before + outcome.obs,
    messages: [...messages.slice(0, -1), { ...last, content: outcome.obs }],
  };
}

/** Example as an environment presents it. */
export interface ShownExample {
  begun: BegunEpisode;
  answer: string;
}

/**
 * Puts examples before a question: as turns of the user and the assistant, after the system's messages, or with a
 * template as texts at the beginning of the user's last message.
 * @param template has the placeholders `{question}` and `{answer}`
 */
export function withExamples(
  begun: BegunEpisode,
  examples: readonly ShownExample[],
  template: string | undefined,
): BegunEpisode {
  if (examples.length === 0) return begun;
  const asked = turnsOf(begun);
  const own = asked.filter(({ role }) => role !== 'system');
  const system = asked.filter(({ role }) => role === 'system');
  if (template === undefined) {
    const turns = examples.flatMap((example): ChatMessage[] => [
      ...turnsOf(example.begun).filter(({ role }) => role !== 'system'),
      { role: 'assistant', content: example.answer },
    ]);
    return { ...begun, messages: [...system, ...turns, ...own] };
  }
  const texts = examples.map(({ begun: { obs }, answer }) =>
    fillTemplate(template, { question: obs, answer }),
  );
  const content = [...texts, own.at(-1)?.content ?? ''].join('\n\n');
  return { ...begun, messages: [...system, ...own.slice(0, -1), { role: 'user', content }] };
}

function turnsOf({ obs, messages }: BegunEpisode): readonly ChatMessage[] {
  return messages ?? [{ role: 'user', content: obs }];
}

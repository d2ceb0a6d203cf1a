import type { BegunEpisode, ResetOutcome, Task } from '../contracts/environment.js';

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

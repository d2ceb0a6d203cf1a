import type { CallRecord, ChatMessage } from '../../../contracts/language-model.js';
import { scoreText } from '../../../statistics/figure-text.js';
import { meanOf } from '../../../statistics/sums.js';
import { SUBMIT } from './draft-tools.js';
import { type FeedbackRun, runsText } from './feedback.js';
import type { DatasetExample } from './types.js';

/** Maximum characters of the report on a draft's runs. */
const LONGEST_REPORT = 12_000;

/** Finished turn, and the answer to the scaffolder. */
export interface TakenTurn {
  reply: Pick<CallRecord, 'text' | 'tool_calls' | 'as_given'>;
  told: string;
}

/** Returns the conversation so far: the prompt, each reply, and the answer to it with the number of turns left. */
export function turnMessages(
  prompt: readonly ChatMessage[],
  turns: readonly TakenTurn[],
  maxTurns: number,
): ChatMessage[] {
  const messages = [...prompt];
  for (const [turn, { reply, told }] of turns.entries()) {
    messages.push(...answered(reply, `${told}\n\n${turnsLeft(maxTurns - turn - 1)}`));
  }
  return messages;
}

function turnsLeft(left: number): string {
  return left === 1
    ? `This is the last turn: call ${SUBMIT} with every file of the scaffold.`
    : `${left} turns are left.`;
}

/** Answers a reply. Every tool call needs an answer, even one that was not executed. */
function answered({ text, tool_calls, as_given }: TakenTurn['reply'], told: string): ChatMessage[] {
  if (tool_calls === undefined || tool_calls.length === 0) {
    // Providers reject empty messages.
    const said = text.trim() === '' ? '(empty)' : text;
    return [
      { role: 'assistant', content: said },
      { role: 'user', content: told },
    ];
  }
  return [
    { role: 'assistant', content: text, tool_calls, ...(as_given === undefined ? {} : { as_given }) },
    ...tool_calls.map(
      ({ id }, index): ChatMessage => ({
        role: 'tool',
        tool_call_id: id,
        content: index === 0 ? told : 'Not done: there is one tool call in a turn.',
      }),
    ),
  ];
}

/** Writes the report on a draft's runs on training examples for the scaffolder, worst first. */
export function draftReport(
  runs: readonly FeedbackRun[],
  expectedOutput: (example: DatasetExample) => string,
): string {
  const mean = meanOf(runs.map(({ score }) => score));
  const count = runs.length === 1 ? '1 training example' : `${runs.length} training examples`;
  const heading = `The draft ran on ${count}; mean score ${scoreText(mean)}.\n\n`;
  const worstFirst = [...runs].sort((left, right) => left.score - right.score);
  return heading + runsText(worstFirst, expectedOutput, LONGEST_REPORT - heading.length);
}

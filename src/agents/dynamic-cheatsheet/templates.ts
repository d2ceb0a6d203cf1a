/** Placeholder for the sheet as long as there is none. */
export const EMPTY_SHEET_TEXT = '(empty)';

const ANSWER_FORMAT = `## Answer
End with the final answer alone, in this form:

FINAL ANSWER:
<answer>
your final answer
</answer>`;

/** Instructions for programs in the form that {@link requestedCode} finds. */
export const CODE_PROTOCOL = `## Code
You may run Python 3 (standard library only, no network, no files). Write the whole program in one fenced block that
prints what you need to know, and write EXECUTE CODE! on the line right after the closing fence:

\`\`\`python
print(2**10)
\`\`\`
EXECUTE CODE!

Stop there. You will be shown the output, and then you continue. Check your reasoning with code where it helps.

`;

export const GENERATOR_TEMPLATE = `You solve a series of tasks. Notes and worked examples from earlier tasks may help you; they may also be
wrong or not fit, so check what you use.

## Approach
1. Say what is asked for and what is given.
2. Look through the notes for something that fits, and say what you use.
3. Solve the task step by step, and check the result.

{code}${ANSWER_FORMAT}

## Notes
{cheatsheet}

{examples}## Task
{question}`;

/** Prompt of the curator after an answer (mode `cumulative`). */
export const CURATOR_TEMPLATE = `You keep the notes that help somebody to solve a series of tasks. You are shown the notes, a task and how it was
answered. Write the notes anew, whole: what you leave out is lost.

- Keep what will help with tasks to come: methods that work, pitfalls, short programs that can be used again, facts.
- The answer may be wrong. Judge it yourself before you learn from it, and say so where you are not sure.
- Join notes that say the same, correct those that turned out wrong, and drop what is too special to be of use.
- Give each note a short title, and a count of how often it helped.
- At most {max_chars} characters.

## The notes so far
{cheatsheet}

## The task
{question}

## The answer that was given
{answer}
{feedback}
Answer with the new notes between these tags, and nothing after them:

<cheatsheet>
the new notes
</cheatsheet>`;

/** Prompt of the curator before an answer (mode `retrieval_synthesis`). */
export const SYNTHESIS_TEMPLATE = `You prepare the notes for somebody who is about to solve a task. You are shown the notes so far, similar tasks with
the answers that were given to them, the most similar last, and the task that comes next. Write the notes anew, whole.

- Choose what helps with the coming task, and keep what will help with others: methods, pitfalls, short programs.
- The answers may be wrong. Judge them yourself before you learn from them.
- Do not solve the coming task.
- At most {max_chars} characters.

## The notes so far
{cheatsheet}

{examples}## The task that comes next
{question}

Answer with the new notes between these tags, and nothing after them:

<cheatsheet>
the new notes
</cheatsheet>`;

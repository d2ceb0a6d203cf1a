import { defineExperimentKind, z } from 'reprise/kind';

/** Asks for n answers to each sample; a judge picks one of those that differ. */
export default defineExperimentKind({
  name: 'best of n',
  models: ['writer', 'judge'],
  settings: z.strictObject({ n: z.int().min(1).max(100).default(4) }),

  async work({ sample, settings: { n }, ask, grade }) {
    const written = await Promise.all(Array.from({ length: n }, () => ask('writer', sample.question)));
    const candidates = [...new Set(written.map(({ text }) => text.trim()))];
    const [first = ''] = candidates;
    const chosen = candidates.length === 1 ? first : await pick(candidates);

    const graded = await Promise.all(candidates.map((candidate) => grade(candidate)));
    const isRight = (candidate: string) => graded[candidates.indexOf(candidate)]?.correct === true;
    return {
      answer: chosen,
      candidates,
      scores: {
        correct: isRight(chosen),
        // What a judge without fault would come to, and a choice by chance.
        'any correct': candidates.some(isRight),
        'mean correct': written.filter(({ text }) => isRight(text.trim())).length / n,
      },
    };

    async function pick(answers: readonly string[]): Promise<string> {
      const listed = answers.map((answer, index) => `[${index + 1}]\n${answer}`).join('\n\n');
      const { text } = await ask(
        'judge',
        `Question:\n${sample.question}\n\nAnswers:\n${listed}\n\nWhich answer is the best one? End with its number in brackets, such as [1].`,
      );
      const [, number = '1'] = [...text.matchAll(/\[(\d+)\]/g)].at(-1) ?? [];
      return answers[Number(number) - 1] ?? first;
    }
  },
});

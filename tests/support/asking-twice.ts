/** Kind of one's own that asks a second time with the first answer. */
export const TWICE = `
import { defineExperimentKind } from 'reprise/kind';

export default defineExperimentKind({
  name: 'twice',
  models: ['writer'],
  async work({ sample, ask }) {
    const { text } = await ask('writer', sample.question);
    const again = await ask('writer', sample.question + ' Is it ' + text + '?');
    return { answer: again.text, scores: { same: again.text === text } };
  },
});
`;

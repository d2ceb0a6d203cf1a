import { MemoryAgent } from 'reprise';

/** An agent of a user's own, for recorded histories: it asks twice at once, and does not come to an end where it is told to. */
export default class OwnAgent extends MemoryAgent {
  override async act(observation: string): Promise<string> {
    const ask = (content: string) =>
      this.languageModel.generate({ purpose: 'act', messages: [{ role: 'user', content }] });
    const [first, second] = await Promise.all([ask(observation), ask(`Once more: ${observation}`)]);
    const { stuck } = this.config as { stuck?: boolean };
    if (stuck && this.episode.sample_id === 'sum-1') for (;;) await null;
    if (stuck && this.episode.sample_id === 'sum-2') await new Promise(() => {});
    this.lastObservation = observation;
    this.lastAction = second.text;
    return first.text;
  }
}

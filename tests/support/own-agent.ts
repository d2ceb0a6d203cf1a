import { MemoryAgent } from 'reprise';

/** An agent of a user's own, for recorded histories: it asks twice at once. */
export default class OwnAgent extends MemoryAgent {
  private ask(content: string) {
    return this.languageModel.generate({ purpose: 'act', messages: [{ role: 'user', content }] });
  }

  override async act(observation: string): Promise<string> {
    const [first, second] = await Promise.all([this.ask(observation), this.ask(`Once more: ${observation}`)]);
    this.lastObservation = observation;
    this.lastAction = second.text;
    return first.text;
  }
}

import { type EpisodeInfo, MemoryAgent } from 'reprise';

/**
 * An agent of a user's own, for recorded histories: it asks twice at once, and, where it is told to, asks before it begins
 * an episode or does not come to an end.
 */
export default class OwnAgent extends MemoryAgent {
  private readonly told = this.config as { stuck?: boolean; begins?: boolean };

  override reset(episode: EpisodeInfo): void | Promise<void> {
    super.reset(episode);
    if (this.told.begins) return this.begin();
  }

  private async begin(): Promise<void> {
    await this.ask('reflect', 'Are you ready?');
  }

  private ask(purpose: 'act' | 'reflect', content: string) {
    return this.languageModel.generate({ purpose, messages: [{ role: 'user', content }] });
  }

  override async act(observation: string): Promise<string> {
    const [first, second] = await Promise.all([
      this.ask('act', observation),
      this.ask('act', `Once more: ${observation}`),
    ]);
    if (this.told.stuck && this.episode.sample_id === 'sum-1') for (;;) await null;
    if (this.told.stuck && this.episode.sample_id === 'sum-2') await new Promise(() => {});
    this.lastObservation = observation;
    this.lastAction = second.text;
    return first.text;
  }
}

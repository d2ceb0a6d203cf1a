import { MemoryAgent } from 'reprise';

/** Sends a prompt, or a conversation, to the model as it stands, with nothing before or after it. */
export default class PromptAgent extends MemoryAgent {
  override async act(observation: string): Promise<string> {
    this.lastObservation = observation;
    const messages = this.messagesWith(this.asked(observation), null);
    const { text } = await this.languageModel.generate({ purpose: 'act', messages });
    this.lastAction = text;
    return text;
  }
}

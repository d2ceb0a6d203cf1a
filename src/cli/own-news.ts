/** Sentences that may come before the command knows which experiment it carries. */
const MOST_HELD = 100;

/**
 * What a worker has to say, in a command that carries experiments of its own: others that use the same worker are silent,
 * since whoever reads the terminal would take their troubles for those of this one.
 */
export class OwnNews {
  private readonly carried: string[] = [];
  private held: { message: string; workflow: string }[] = [];

  constructor(private readonly say: (message: string) => void) {}

  /** From now on an experiment is this command's, with all that its workflow starts. */
  carry(id: string): void {
    this.carried.push(id);
    const { held } = this;
    this.held = [];
    for (const { message, workflow } of held) this.hear(message, workflow);
  }

  /** @param workflow the one that it is about; null where it is about the worker itself */
  hear(message: string, workflow: string | null): void {
    if (workflow === null || this.isOwn(workflow)) this.say(message);
    // The worker may be faster than the answer to the command that started it.
    else if (this.carried.length === 0 && this.held.length < MOST_HELD) this.held.push({ message, workflow });
  }

  isOwn(workflow: string): boolean {
    return this.carried.some((id) => workflow === id || workflow.startsWith(`${id}/`));
  }
}

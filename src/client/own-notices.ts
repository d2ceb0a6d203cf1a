/** Maximum messages that are kept before the command knows the id of its experiment. */
const MAX_PENDING = 100;

/**
 * Messages of a worker in a command that runs experiments of its own: messages about others that use the same worker
 * are dropped, since readers would take their problems for those of this one.
 */
export class OwnNotices {
  private readonly carried: string[] = [];
  private held: { message: string; workflow: string }[] = [];

  constructor(private readonly say: (message: string) => void) {}

  /** Marks an experiment as this command's, with everything that its workflow starts. */
  carry(id: string): void {
    this.carried.push(id);
    const { held } = this;
    this.held = [];
    for (const { message, workflow } of held) this.received(message, workflow);
  }

  /** @param workflow the subject of the message; null where it is about the worker itself */
  received(message: string, workflow: string | null): void {
    if (workflow === null || this.isOwn(workflow)) this.say(message);
    // The worker may send a message before the id of the experiment is known.
    else if (this.carried.length === 0 && this.held.length < MAX_PENDING)
      this.held.push({ message, workflow });
  }

  isOwn(workflow: string): boolean {
    return this.carried.some((id) => workflow === id || workflow.startsWith(`${id}/`));
  }
}

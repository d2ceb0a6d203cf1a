/** Milliseconds between two messages of the same kind. */
const INTERVAL = 10_000;

/** Limits how often a message is printed; messages that differ in numbers only are of one kind. */
export function seldom(say: (message: string) => void): (message: string) => void {
  const lastSaid = new Map<string, number>();
  return (message) => {
    const kind = message.replace(/\d+/g, '#');
    const now = Date.now();
    if (now - (lastSaid.get(kind) ?? 0) < INTERVAL) return;
    lastSaid.set(kind, now);
    say(message);
  };
}

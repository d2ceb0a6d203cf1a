/** Milliseconds between two sentences of the same kind. */
const INTERVAL = 10_000;

/** Says a sentence at most once in a while; sentences that differ in numbers only are of one kind. */
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

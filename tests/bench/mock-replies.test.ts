import { describe, expect, it } from 'vitest';
import { replyTo } from '../../bench/mock-replies.js';
import { summarizeCode } from '../../src/kinds/evolve/evolution/duplicates.js';
import { parseScaffoldReply } from '../../src/kinds/evolve/evolution/reply.js';

/** What the mock server answers to one message. */
function said(content: string, number = 1): string {
  const body = JSON.stringify({ model: 'mock', messages: [{ role: 'user', content }] });
  return replyTo(body, number).content ?? '';
}

describe('the mock model', () => {
  it('adds the last two numbers', () => {
    const content = 'What is 3 + 4?\nWhat is 20 + 22?';
    expect(said(content)).toBe('The answer is 42.');
  });

  it('writes programs that wait as long as it is told, no two of them the same', () => {
    const content = 'Write process_input. Wait 0.5 s, and return the value.';
    const [first, second] = [1, 2].map((number) => {
      const parsed = parseScaffoldReply(said(content, number));
      if (!parsed.ok) throw new Error(parsed.message);
      return parsed.files;
    });
    expect(first?.['scaffold.py']).toContain('time.sleep(0.5)\n');
    expect(summarizeCode(first ?? {}).fingerprint).not.toBe(summarizeCode(second ?? {}).fingerprint);
  });
});

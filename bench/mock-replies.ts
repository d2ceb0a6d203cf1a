/** The reply's message, as the OpenAI protocol has it. */
export interface MockMessage {
  role: 'assistant';
  content: string | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}

interface SentMessage {
  role: string;
  content: string | null;
}

const says = (content: string): MockMessage => ({ role: 'assistant', content });

/** The sum that is asked for last. */
function sum(body: string): MockMessage {
  const asked = [...body.matchAll(/(\d+) \+ (\d+)/g)].at(-1);
  return says(`The answer is ${Number(asked?.[1]) + Number(asked?.[2])}.`);
}

/** An agent that is told `Count to 4, 1 at a time.` calls its tool for every number, so many in a reply, and is done. */
function agent(messages: readonly SentMessage[]): MockMessage {
  const task = /Count to (\d+), (\d+) at a time\./.exec(messages.map(({ content }) => content).join('\n'));
  if (task === null) return says('There is nothing to count.');
  const [last, atOnce] = [Number(task[1]), Number(task[2])];
  const counted = messages.filter(({ role }) => role === 'tool').length;
  const numbers = Array.from({ length: Math.min(atOnce, last - counted) }, (_, index) => counted + index + 1);
  if (numbers.length === 0) return says(`I have counted to ${last}.`);
  const calls = numbers.map((number) => ({
    id: `call_${number}`,
    type: 'function' as const,
    function: { name: 'count', arguments: JSON.stringify({ number }) },
  }));
  return { role: 'assistant', content: null, tool_calls: calls };
}

/** A user that greets, where it writes first, and leaves after the agent's answer. To itself it is the assistant. */
function user(messages: readonly SentMessage[]): MockMessage {
  const hasSpoken = messages.some(({ role }) => role === 'assistant');
  return says(hasSpoken ? 'Thank you. ###STOP###' : 'Hello.');
}

/** A scaffolder that is told `Wait 1 s`: a program that does, and adds. No two of them say the same. */
function scaffold(body: string, number: number): MockMessage {
  const seconds = /Wait ([\d.]+) s/.exec(body)?.[1];
  return says(
    [
      '```python',
      'import time',
      '',
      `NUMBER = ${number}`,
      '',
      '',
      'def process_input(input_string):',
      `    time.sleep(${seconds})`,
      '    return str(sum(int(number) for number in input_string.split("+")))',
      '```',
    ].join('\n'),
  );
}

/**
 * What the mock model says, by who is asked: an agent with tools, a simulated user, a scaffolder, or one that adds.
 * @param body a request of `POST /chat/completions`
 * @param number the request's own
 */
export function replyTo(body: string, number: number): MockMessage {
  const messages = () => (JSON.parse(body) as { messages: SentMessage[] }).messages;
  if (body.includes('"tools":[')) return agent(messages());
  if (body.includes('###STOP###')) return user(messages());
  if (body.includes('process_input')) return scaffold(body, number);
  return sum(body);
}

/** The reply's message, as the OpenAI protocol has it. */
export interface MockMessage {
  role: 'assistant';
  content: string;
}

const says = (content: string): MockMessage => ({ role: 'assistant', content });

/** The sum that is asked for last. */
function sum(body: string): MockMessage {
  const asked = [...body.matchAll(/(\d+) \+ (\d+)/g)].at(-1);
  return says(`The answer is ${Number(asked?.[1]) + Number(asked?.[2])}.`);
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
 * What the mock model says, by who is asked: a scaffolder, or one that adds.
 * @param body a request of `POST /chat/completions`
 * @param number the request's own
 */
export function replyTo(body: string, number: number): MockMessage {
  if (body.includes('process_input')) return scaffold(body, number);
  return sum(body);
}

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { VERDICT, writeJudged, writeRubric } from '../support/judged-steps.js';
import { seatsReply, writeSeats } from '../support/seats-bundle.js';
import { type Running, sumsConfig, untilIn, Workplace } from '../support/workplace.js';

const KINDS = ['run', 'agent-eval', 'evolve', 'judge'] as const;
const STATES = ['in progress', 'killed', 'detached', 'stopped', 'limited', 'finished'] as const;
type Kind = (typeof KINDS)[number];
type State = (typeof STATES)[number];

/** An experiment, which of the fields that may be defaulted are, and what has become of it. */
interface Case {
  kind: Kind;
  state: State;
  /** What is left to its default. */
  bare: boolean;
}

const DRAWN = 3;
/** Calls at once, by default, at most. */
const CONCURRENCY = 8;
const SCAFFOLD =
  '```python file=scaffold.py\ndef process_input(text):\n    return str(sum(map(int, text.split())))\n```';

describe('the same command', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', {
      latencyMs: 300,
      reply: (request) => {
        const { model, number, lastUserText } = request;
        if (model === 'writer') return `${SCAFFOLD.replace('def', `# ${number}\ndef`)}`;
        if (model === 'judge') return VERDICT;
        if (model === 'fake') return String(lastUserText.length);
        return seatsReply(request);
      },
    });
    await writeSeats(place, 4, 'seats');
    await writeRubric(place);
    const example = (id: string, number: number) =>
      JSON.stringify({ id, input: `${number} 2`, target: number + 2 });
    await place.write('train.jsonl', example('t', 1));
    await place.write('valid.jsonl', [1, 2, 3].map((number) => example(`v${number}`, number)).join('\n'));
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const lm = (model: string) => ({ model: `openai/${model}`, base_url: provider.baseUrl });

  /** The command that begins an experiment, and the id that `stop` takes. */
  async function commandOf({ kind, bare }: Case, name: string): Promise<{ command: string[]; id: string }> {
    switch (kind) {
      case 'run': {
        const more = bare ? {} : { seed: 7, runtime: { num_trials: 2, concurrency: 3 } };
        await place.write(`${name}.yaml`, sumsConfig(provider.baseUrl, 24, { name, ...more }));
        return { command: ['run', `${name}.yaml`], id: name };
      }
      case 'agent-eval': {
        const server = ['agent', 'user'].flatMap((who) => [
          '--set',
          `models.${who}.base_url=${provider.baseUrl}`,
        ]);
        const models = ['--model', 'openai/clerk', '--model-role', 'user=openai/customer', '--rollouts', '3'];
        const pinned = bare ? [] : ['--set', 'now=2026-03-02T09:00:00Z', '--set', 'seed=5'];
        return {
          command: ['agent-eval', '--dataset', 'seats', '--name', name, ...models, ...server, ...pinned],
          id: name,
        };
      }
      case 'evolve':
        await place.write(`${name}.yaml`, {
          name,
          task_prompt: 'Add the numbers.',
          domain: 'numeric',
          data: { train: 'train.jsonl', valid: 'valid.jsonl' },
          models: { scaffolder: lm('writer') },
          sandbox: { type: 'process' },
          evolution: {
            num_iterations: 2,
            initial_scaffolds: 2,
            scaffolds_per_iter: 2,
            num_validation_examples: 2,
          },
          ...(bare ? {} : { seed: 4, timeout_sec: 30 }),
        });
        return { command: ['evolve', `${name}.yaml`], id: name };
      case 'judge': {
        const more = [
          ...['--model', 'openai/judge', '--set', `lm.base_url=${provider.baseUrl}`],
          ...(bare ? [] : ['--set', 'lm.temperature=0', '--set', 'concurrency=3']),
        ];
        return { command: await writeJudged(place, name, { episodes: 24, more }), id: name };
      }
    }
  }

  const asked = (more: number) => {
    const { calls } = provider.statistics;
    return () => provider.statistics.calls >= calls + more;
  };

  /** Brings an experiment into a state. @returns the command that still carries it, where one does */
  async function bring(state: State, command: string[], id: string): Promise<Running | null> {
    if (state === 'finished' || state === 'limited') {
      const limit = state === 'limited' ? ['--set', 'limits.max_lm_calls=3'] : [];
      expect((await place.reprise([...command, ...limit])).code).toBe(state === 'limited' ? 3 : 0);
      return null;
    }
    const isAsked = asked(3);
    if (state === 'detached') {
      expect((await place.reprise([...command, '--detach'])).code).toBe(0);
      return null;
    }
    const running = place.start(command);
    await untilIn(running, 'something is asked', isAsked);
    if (state === 'in progress') return running;
    if (state === 'killed') await place.kill(running);
    else {
      const whole = /^(?:Started|Continuing) (\S+) on/m.exec(running.output())?.[1] ?? id;
      const send = provider.hold();
      expect((await place.reprise(['stop', whole])).code).toBe(0);
      send();
      await running.done;
    }
    return null;
  }

  let number = 0;
  async function follow(drawn: Case): Promise<void> {
    number += 1;
    const { kind, state } = drawn;
    const { command, id } = await commandOf(drawn, `${kind}-${'abcdefghijklmnopqrstuvwxyz'[number]}`);
    const { repeated } = provider.statistics;
    const carrying = await bring(state, command, id);
    const { code, stdout, stderr } = await place.reprise(command);
    const said = `${JSON.stringify(drawn)}\n${stdout}${stderr}`;
    expect(code, said).toBe(0);
    expect(stdout, said).toContain('done');
    // What was in flight when its command was killed may have been answered to nobody.
    const inFlight = state === 'killed' ? CONCURRENCY : 0;
    expect(provider.statistics.repeated - repeated, said).toBeLessThanOrEqual(inFlight);
    const isOpen = state === 'in progress' || state === 'killed' || state === 'detached';
    expect(stderr, said).toMatch(
      isOpen ? /^(?:Attached to|Continuing) \S+(?<!-2) on/m : /^Continuing \S+(?<!-2) on/m,
    );
    if (carrying !== null) expect((await carrying.done).code).toBe(0);
  }

  const drawn = fc.record<Case>({
    kind: fc.constantFrom(...KINDS),
    state: fc.constantFrom(...STATES.filter((state) => state !== 'finished')),
    bare: fc.boolean(),
  });

  it.each(KINDS)(
    'continues a %s whose command was killed, with whatever is left to its default',
    async (kind) => {
      await follow({ kind, state: 'killed', bare: true });
    },
  );

  it('continues every kind in every state', async () => {
    await fc.assert(fc.asyncProperty(drawn, follow), { numRuns: DRAWN, seed: 11, endOnFailure: true });
  });
});

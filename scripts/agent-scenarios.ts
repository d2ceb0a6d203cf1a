import { askingEvolution, askingProgram } from '../tests/support/asking-evolution.js';
import type { Behaviour, FakeReply, RecordedRequest } from '../tests/support/fake-providers/behaviours.js';
import { addNumbers } from '../tests/support/fake-providers/fake-provider.js';
import { AGENT, seatRow, seatsBundle, seatsConfig, seatsReply, USER } from '../tests/support/seats-bundle.js';
import { assistant, episode, step, user } from '../tests/trajectories/support.js';
import { type Scenario, steered } from './scenario.js';

const ROWS = 24;
const DATASET = 'seats/task.jsonl';
/** One row, whose rollouts may be long. */
const LONG_DATASET = 'seats/long.jsonl';

/** Speaks as the agent at first when it is told that a flight is full. */
const HASTY_USER = 'hasty';
/** Calls a tool in forty replies before it says something. */
const TIRELESS_AGENT = 'tireless';
const TOOL_CALLS = 40;
const SCAFFOLDER = 'scaffolder';
const JUDGE = 'judge';
/** Writes scaffolds that ask the other one. */
const WRITER = 'writer';
const ADDER = 'adder';

const VERDICT = '{"clear": {"reason": "It is.", "score": 4}}';
/** Its first reply on each step is no verdict. */
const JUDGE_SCRIPT = `- purpose: judge\n  replies: [Four of five., '${VERDICT}']\n`;

/** A judgement's trajectories; on every second step the judge stumbles. */
function trajectories(): string {
  const rows = ['a', 'b', 'c'].map((id) =>
    episode(id, [], {
      episode_id: `${id}/0`,
      timesteps: ['go', 'stumble'].map((said) =>
        step([[user(`${said} ${id}`), assistant('Done.')]], { reward: 1 }),
      ),
    }),
  );
  return rows.map((row) => JSON.stringify(row)).join('\n');
}

const OWN_KIND = `
import { defineExperimentKind } from 'reprise/kind';

export default defineExperimentKind({
  name: 'ask and judge',
  models: ['writer', 'judge'],
  async work({ sample, ask }) {
    if (sample.question.includes('2 + 1')) throw new Error('two is not liked here');
    const written = await Promise.all([1, 2].map((time) => ask('writer', time + '. ' + sample.question)));
    const { text } = await ask('judge', written.map((reply) => reply.text).join());
    return { answer: text, scores: { length: text.length } };
  },
});
`;

/** What the scenarios need beside their configs, by name. */
export function agentFiles(): Record<string, string> {
  const { 'task.jsonl': rows = '', ...bundle } = seatsBundle(ROWS);
  const [first = ''] = rows.split('\n');
  const files = {
    ...bundle,
    'task.jsonl': rows,
    'long.jsonl': `${JSON.stringify({ ...JSON.parse(first), max_turns: TOOL_CALLS + 5 })}\n`,
  };
  return {
    ...Object.fromEntries(Object.entries(files).map(([name, content]) => [`seats/${name}`, content])),
    'own-kind.ts': OWN_KIND,
    'judge.yaml': JUDGE_SCRIPT,
    'rubric.yaml': 'criteria: [{name: clear, description: Is the reply clear?, range: [1, 5]}]\n',
    'results/judgement/trajectories.jsonl': trajectories(),
    'results/judge-asked-again/trajectories.jsonl': trajectories(),
  };
}

/** A turn without a tool that there is, one that runs a draft, and one that submits it. */
function draftingReply({ body, number }: RecordedRequest): FakeReply {
  const messages = body.messages as { role: string }[];
  const turn = messages.filter(({ role }) => role === 'tool').length;
  const name = ['look_up', 'run_draft'][turn] ?? 'submit_scaffold';
  // No two scaffolds are the same.
  const content = `NUMBER = ${number}\n\n\ndef process_input(input_string):\n    return str(NUMBER)\n`;
  return { toolCalls: [{ name, arguments: { files: [{ path: 'scaffold.py', content }] } }] };
}

function tirelessReply({ body }: RecordedRequest): FakeReply {
  const made = (body.messages as { role: string }[]).filter(({ role }) => role === 'tool').length;
  if (made >= TOOL_CALLS) return { text: 'You are on the waiting list, many times.' };
  return { toolCalls: [{ id: `call_${made}`, name: 'wait', arguments: { flight: 0 } }] };
}

function hastyReply(request: RecordedRequest): FakeReply {
  const [instructions] = request.body.messages as { content: string }[];
  const isAskedAgain = instructions?.content.includes('Your last try could not be used') === true;
  if (request.lastUserText.includes('is full') && !isAskedAgain) return { text: 'How can I help you?' };
  return seatsReply({ ...request, model: USER });
}

const REPLIES: Record<string, (request: RecordedRequest) => FakeReply> = {
  [AGENT]: seatsReply,
  [USER]: seatsReply,
  [HASTY_USER]: hastyReply,
  [TIRELESS_AGENT]: tirelessReply,
  [SCAFFOLDER]: draftingReply,
  [WRITER]: ({ number }) => ({ text: askingProgram(number) }),
  [ADDER]: (request) => ({ text: addNumbers(request) }),
  [JUDGE]: ({ lastUserText }) => ({ text: lastUserText.includes('stumble') ? 'Four.' : VERDICT }),
};

/** Models of which every third request comes to nothing. */
const HALTING = 'halting-';
const NO_REPLY: Behaviour = { kind: 'raw', contentType: 'application/json', body: '{"choices": []}' };

/** What the models of these scenarios answer; undefined where another one is asked. */
export function agentBehaviour(request: RecordedRequest): Behaviour | undefined {
  const { model, number } = request;
  if (model.startsWith(HALTING)) {
    if (number % 3 === 0) return NO_REPLY;
    return agentBehaviour({ ...request, model: model.slice(HALTING.length) });
  }
  const reply = REPLIES[request.model];
  return reply === undefined ? undefined : { kind: 'reply', ...reply(request) };
}

/** Evaluations of agents, judgements, and an evolution whose scaffolder is an agent. */
export function agentScenarios(baseUrl: string): Scenario[] {
  const lm = (model: string) => ({ model: `openai/${model}`, base_url: baseUrl });
  const evaluation = (name: string, more: Record<string, unknown>, dataset = DATASET) => ({
    name,
    config: seatsConfig(baseUrl, dataset, { name, ...more }),
    command: ['agent-eval', `${name}.yaml`, '--json'],
  });
  const judged = evaluation('agent-eval-judged', {
    rows: [seatRow(2), seatRow(3)],
    models: { agent: lm(AGENT), user: lm(HASTY_USER) },
  });
  return [
    {
      ...judged,
      command: [...judged.command, '--judge', 'scripted/judge.yaml', '--rubric', 'rubric.yaml'],
      // The evaluation, its four rollouts, and the judgement.
      leastHistories: 6,
    },
    {
      ...evaluation('agent-eval-controlled', {
        rows: Array.from({ length: 6 }, (_, index) => seatRow(index)),
        concurrency: 3,
        limits: { max_lm_calls: 35 },
      }),
      code: 3,
      meanwhile: steered,
    },
    {
      ...evaluation('agent-eval-renewed', { rollouts: 4, concurrency: 8 }),
      // Its rollouts are like those of the others.
      isRecorded: (id) => id === 'agent-eval-renewed',
      leastHistories: 2,
    },
    {
      ...evaluation(
        'rollout-renewed',
        { rollouts: 1, models: { agent: lm(TIRELESS_AGENT), user: lm(USER) } },
        LONG_DATASET,
      ),
      leastHistories: 3,
    },
    {
      name: 'judgement',
      command: [
        ...['judge', 'judgement', '--model', `openai/${JUDGE}`, '--rubric', 'rubric.yaml', '--json'],
        ...['--set', `lm.base_url=${baseUrl}`, '--set', 'concurrency=2'],
      ],
    },
    // Samples that end, one whose code throws, and one whose calls meet the limit.
    {
      name: 'own-kind',
      config: {
        kind: 'own-kind.ts',
        models: { writer: lm(AGENT), judge: lm(AGENT) },
        dataset: { items: [1, 2, 3, 4].map((a) => ({ question: `What is ${a} + 1?`, answer: `${a + 1}` })) },
        concurrency: 1,
        limits: { max_lm_calls: 8 },
      },
      command: ['own-kind', 'own-kind.yaml', '--json'],
      code: 3,
    },
    // Each request is an activity, those that come to nothing too, because they count against a limit.
    {
      ...evaluation('agent-eval-asked-again', {
        rows: [seatRow(0), seatRow(1)],
        models: { agent: lm(`${HALTING}${AGENT}`), user: lm(`${HALTING}${USER}`) },
        limits: { max_lm_calls: 1000 },
      }),
      leastHistories: 5,
    },
    {
      name: 'judge-asked-again',
      command: [
        ...[
          'judge',
          'judge-asked-again',
          '--model',
          `openai/${HALTING}${JUDGE}`,
          '--rubric',
          'rubric.yaml',
          '--json',
        ],
        ...['--set', `lm.base_url=${baseUrl}`, '--set', 'limits.max_lm_calls=1000'],
      ],
    },
    {
      name: 'evolve-asked-again',
      code: 3,
      config: askingEvolution(baseUrl, [`${HALTING}${WRITER}`, `${HALTING}${ADDER}`], {
        name: 'evolve-asked-again',
        limits: { max_lm_calls: 60 },
        output: { results_dir: 'experiments' },
      }),
      command: ['evolve', 'evolve-asked-again.yaml'],
      leastHistories: 2,
    },
    {
      name: 'evolve-agent',
      config: {
        name: 'evolve-agent',
        task_prompt: 'Use each of four numbers once, and come to 24.',
        domain: 'game24',
        data: { generate: { train: 4, valid: 6 } },
        evolution: {
          num_iterations: 1,
          initial_scaffolds: 2,
          scaffolds_per_iter: 1,
          num_validation_examples: 3,
        },
        models: { scaffolder: lm(SCAFFOLDER) },
        scaffolder: { mode: 'agent', max_turns: 4, draft_examples: 2 },
        sandbox: 'process',
        output: { results_dir: 'experiments' },
      },
      command: ['evolve', 'evolve-agent.yaml'],
      // The evolution and its two iterations.
      leastHistories: 3,
    },
  ];
}

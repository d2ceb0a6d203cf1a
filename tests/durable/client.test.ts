import { readFile, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunProgress } from '../../src/kinds/run/contracts.js';
import type { Metrics } from '../../src/kinds/run/results.js';
import { fencesOf } from '../docs/markdown.js';
import type { FakeReply, RecordedRequest } from '../support/fake-providers/behaviours.js';
import { addNumbers, type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { seatsBundle, seatsConfig, seatsReply } from '../support/seats-bundle.js';
import { type Running, sumsConfig, until, untilIn, Workplace } from '../support/workplace.js';

const SAMPLES = 40;

/** What the programs below print, a line each. */
type Line = { [name: string]: unknown } & { progress?: RunProgress; metrics?: Metrics };

/** The package as a program in another folder imports it. */
const PREAMBLE = `
import { connect, ExperimentFailedError, InvalidInputError } from 'reprise/client';
const print = (line) => console.log(JSON.stringify(line));
const refused = async (work) => {
  try {
    await work();
  } catch (error) {
    return [error instanceof InvalidInputError ? 'bad input' : error.constructor.name, error.message];
  }
  return null;
};
`;

/** Components of the code of users. */
const OF_USERS = /^(agent|environment|kind|tool|reward|scorer)\b/;

const ECHO = '```python file=scaffold.py\ndef process_input(text):\n    return text\n```';

function replyOf(request: RecordedRequest): string | FakeReply {
  if (request.model === 'writer') return ECHO;
  return request.model === 'fake' ? addNumbers(request) : seatsReply(request);
}

async function writeFiles(place: Workplace, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) await place.write(name, content);
}

describe('the client', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeEach(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', { latencyMs: 100, reply: replyOf });
    await place.write('node_modules/.keep', '');
    await symlink(process.cwd(), place.path('node_modules/reprise'));
  });

  afterEach(async () => {
    await provider.close();
    await place.dispose();
  });

  /** Starts a program that uses the client. */
  async function program(name: string, source: string, ...args: string[]): Promise<Running> {
    const path = await place.write(`${name}.mjs`, PREAMBLE + source);
    return place.startProgram(process.execPath, [path, ...args]);
  }

  const printed = (running: Running): Line[] =>
    running
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line));

  const endedIn = (running: Running): number =>
    printed(running).reduce((ended, { progress }) => progress?.units.ended ?? ended, 0);

  /** Waits until a program has ended by itself, with nothing left that keeps it. */
  async function linesOf(running: Running): Promise<Line[]> {
    const { code } = await running.done;
    expect(code, running.output()).toBe(0);
    return printed(running);
  }

  const FOLLOWS = `
    const run = await client.start('run', process.argv[2]);
    print({ id: run.id, kind: run.kind, how: run.how });
    for await (const progress of run.progress()) print({ progress });
    print(await run.result());
    await client.close();
  `;

  const whole = { status: 'done', samples: SAMPLES, correct: SAMPLES, errors: 0, lm_calls: SAMPLES };

  it('follows a run through the death of its only worker, to the figure of an undisturbed one', async () => {
    await place.write('sums.yaml', sumsConfig(provider.baseUrl, SAMPLES, { runtime: { concurrency: 2 } }));
    const worker = await place.dev();
    const following = await program('follow', `const client = await connect();${FOLLOWS}`, 'sums.yaml');
    await untilIn(following, 'some samples are done', () => endedIn(following) > 3);
    await place.kill(worker);
    const { calls } = provider.statistics;
    await place.worker();
    const lines = await linesOf(following);
    expect(lines[0]).toEqual({ id: 'sums', kind: 'run', how: 'started' });
    const states = lines.flatMap(({ progress }) => progress ?? []);
    const counts = states.map(({ units }) => units.ended);
    expect(counts).toEqual([...counts].sort((left, right) => left - right));
    expect(states.at(-1)).toMatchObject({ phase: 'done', accuracy: 1, metrics: whole });
    // What has not changed is not shown again.
    expect(new Set(states.map((state) => JSON.stringify(state))).size).toBe(states.length);
    const { artifacts, metrics } = lines.at(-1) as { artifacts: string; metrics: Metrics };
    expect(metrics).toEqual(await place.metrics('sums'));
    expect(metrics).toMatchObject(whole);
    expect(artifacts).toMatch(/^file:.*\/results\/sums$/);
    expect(calls).toBeLessThan(SAMPLES);
    // Two lanes: no more than two calls were in flight when the worker died.
    expect(provider.statistics.calls).toBeLessThanOrEqual(SAMPLES + 2);
  });

  it('steers a run, and tells how it ended', async () => {
    provider.latencyMs = 500;
    const config = sumsConfig(provider.baseUrl, 200, { name: 'slow', runtime: { concurrency: 4 } });
    await place.write('slow.json', JSON.stringify(config));
    await place.dev();
    const running = await program(
      'steer',
      `
      import { readFileSync } from 'node:fs';
      const client = await connect();
      const config = JSON.parse(readFileSync('slow.json', 'utf8'));
      const run = await client.start('run', config);
      const until = async (holds, experiment = run) => {
        for await (const progress of experiment.progress()) if (holds(progress)) return progress;
      };
      await until(({ units }) => units.ended > 0);
      await run.pause();
      print({ paused: (await until(({ phase }) => phase === 'paused')).phase });
      await run.setConcurrency(15);
      await run.resume();
      print({ wider: (await until(({ concurrency }) => concurrency === 15)).concurrency });
      print({ tooWide: await refused(() => run.setConcurrency(0)) });
      await run.stop();
      const stopped = await run.result();
      print({ status: stopped.metrics.status, samples: stopped.metrics.samples });
      print({ over: await refused(() => run.pause()) });

      const again = await client.start('run', config);
      print({ how: again.how });
      await until(({ phase }) => phase === 'running', again);
      await again.cancel();
      const error = await again.result().catch((caught) => caught);
      print({
        failed: error instanceof ExperimentFailedError,
        status: error.status,
        artifacts: error.artifacts,
        wrote: error.metrics.status,
      });
      const found = await client.attach('slow');
      print({ attached: [found.id, found.kind, found.how] });
      const states = [];
      for await (const { phase } of found.progress()) states.push(phase);
      print({ states });
      print({ other: await refused(() => client.attach('slow', 'judge')) });
      print({ unknown: await refused(() => client.attach('nobody')) });
      await client.close();
      `,
    );
    const lines = await linesOf(running);
    const said = Object.assign({}, ...lines);
    expect(lines.slice(0, 5)).toEqual([
      { paused: 'paused' },
      { wider: 15 },
      { tooWide: ['bad input', expect.stringContaining('concurrency')] },
      { status: 'stopped', samples: expect.any(Number) },
      { over: ['bad input', "the run 'slow' has ended (completed)"] },
    ]);
    expect(lines[5]).toEqual({ how: 'continued' });
    expect(said).toMatchObject({
      failed: true,
      status: 'cancelled',
      artifacts: expect.stringMatching(/results\/slow$/),
      wrote: 'cancelled',
      attached: ['slow', 'run', 'attached'],
      states: [],
      other: ['bad input', "'slow' is of the kind 'run', not 'judge'"],
      unknown: ['bad input', expect.stringContaining("there is no run 'nobody'")],
    });
    const listing = await program(
      'list',
      `
      const client = await connect();
      const ids = async (options) => (await client.list(options)).map(({ id, kind, status }) => [id, kind, status]);
      print({ all: await ids(), running: await ids({ status: 'running' }), judged: await ids({ kind: 'judge' }) });
      await client.close();
      `,
    );
    const [listed] = await linesOf(listing);
    expect(listed).toEqual({ all: [['slow', 'run', 'cancelled']], running: [], judged: [] });
  });

  it('brings a server and a worker of its own, continues after a kill −9, and runs one’s own agents', async () => {
    await place.write('sums.yaml', sumsConfig(provider.baseUrl, SAMPLES, { runtime: { concurrency: 2 } }));
    const WORKS = `const client = await connect({ worker: true, notify: (sentence) => print({ sentence }) });`;
    const first = await program('works', WORKS + FOLLOWS, 'sums.yaml');
    await untilIn(first, 'some samples are done', () => endedIn(first) > 3);
    await place.kill(first);
    const second = await program('works', WORKS + FOLLOWS, 'sums.yaml');
    const lines = await linesOf(second);
    const sentences = lines.flatMap(({ sentence }) => sentence ?? []);
    expect(sentences).toContainEqual('Attached to sums');
    expect(lines.at(-1)).toMatchObject({ metrics: whole });
    expect(provider.statistics.calls).toBeLessThanOrEqual(SAMPLES + 2);

    await place.write(
      'shout.ts',
      `import { HistoryAgent } from 'reprise';
       export default class extends HistoryAgent {
         override buildSystemPrompt() { return 'SHOUT'; }
       }`,
    );
    const others = await program(
      'others',
      `
      ${WORKS}
      const config = {
        name: 'shout',
        dataset: { items: [{ question: 'What is 1 + 2?', answer: '3' }], task_type: 'numeric' },
        lm: { model: 'openai/fake', base_url: '${provider.baseUrl}' },
        agent: { type: 'shout', file: 'shout.ts' },
      };
      const [shout, plain] = await Promise.all([
        client.start('run', config),
        client.start('run', { ...config, name: 'plain', agent: undefined }, { set: ['lm.temperature=1'] }),
      ]);
      const result = await shout.result();
      print({ shout: result.metrics.correct, plain: (await plain.result()).metrics.correct });
      const judgement = await client.start('judge', {
        experiment: result.artifacts,
        lm: { model: 'scripted/judge', script: '${process.cwd()}/examples/judge/replies.yaml' },
        rubric: '${process.cwd()}/examples/judge/rubric.yaml',
      });
      print({ judged: (await judgement.result()).metrics.steps });
      const start = (kind, config, options) => refused(() => client.start(kind, config, options));
      print({
        kind: await start('runs', config),
        field: await start('run', { ...config, lmm: 1 }),
        name: await start('run', { ...config, name: undefined }),
        judge: await start('judge', {}, { name: 'mine' }),
        done: await start('run', config, { id: 'shout' }),
        key: await start('run', { ...config, lm: { model: 'gemini/gemini-2.5-flash' } }, { name: 'keyless' }),
      });
      const endless = run => run.progress().next();
      const left = await client.start('run', 'sums.yaml', { name: 'left' });
      await endless(left);
      const waiting = left.result().catch((error) => error.message);
      await client.close();
      await client.close();
      print({ closed: await waiting });
      `,
    );
    const said = Object.assign({}, ...(await linesOf(others)));
    expect(said).toMatchObject({ shout: 1, plain: 1, judged: 1, closed: 'the client was closed' });
    const badInput = (message: string) => ['bad input', expect.stringContaining(message)];
    expect(said).toMatchObject({
      kind: badInput("there is no kind of experiment 'runs' (there are run, "),
      field: badInput('the config: lmm: '),
      name: badInput('name: is missing'),
      judge: badInput('name: a judgement takes none'),
      done: badInput('shout cannot be continued: it is done'),
      key: badInput('set GEMINI_API_KEY'),
    });
    const systems = provider.requests.map(({ body }) => body.messages[0].content);
    expect(systems).toContain('SHOUT');
  });

  it('has what code of one’s own logs in the run.log of its experiment, once', async () => {
    const { baseUrl } = provider;
    const files = seatsBundle(1);
    await writeFiles(place, {
      'agent.ts': `import { HistoryAgent } from 'reprise';
        export default class extends HistoryAgent {
          override async act(observation) {
            this.logger.info('asks', { observation });
            return super.act(observation);
          }
        }`,
      'environment.ts': `import { child, logger, QAEnv } from 'reprise';
        const parser = child(logger, 'parser');
        export class Mine extends QAEnv {
          async step(state, action) {
            parser.warn('reads', { action });
            logger.debug('unread');
            return super.step(state, action);
          }
        }`,
      'kind.ts': `import { defineExperimentKind, logger } from 'reprise/kind';
        export default defineExperimentKind({
          name: 'twice',
          models: ['writer'],
          async work({ sample, ask }) {
            logger.info('begins');
            const first = await ask('writer', sample.question);
            logger.info('goes on', { text: first.text });
            const second = await ask('writer', first.text + ' + 1');
            logger.info('ends');
            return { scores: { length: second.text.length } };
          },
        });`,
      'scorer.ts': `import { logger } from 'reprise';
        export function score(output, example) {
          logger.info('scores', { output });
          return { score: 1 };
        }`,
      'bundle/tools.ts': files['tools.ts']
        ?.replace('import { ToolRegistry, z }', 'import { logger, ToolRegistry, z }')
        .replace("note('book '", "logger.info('booked', { flight });\n  note('book '") as string,
      'bundle/reward.ts': files['reward.ts']
        ?.replace('import { defineReward', 'import { logger, defineReward')
        .replace('return { score', "logger.info('judged');\n  return { score") as string,
      'bundle/task.jsonl': files['task.jsonl'] as string,
      'examples.jsonl': '{"id": "e1", "input": "a"}\n',
    });
    const lm = { model: 'openai/fake', base_url: baseUrl };
    const items = [{ id: 's1', question: 'What is 1 + 2?', answer: '3' }];
    const dataset = { items, id_field: 'id' };
    const mine = { ...dataset, env_class: 'Mine', env_file: 'environment.ts' };
    const agent = { type: 'mine', file: 'agent.ts' };
    const configs = {
      run: { name: 'mine', dataset: mine, lm, agent },
      'own-kind': { name: 'twice', kind: 'kind.ts', models: { writer: lm }, dataset },
      'agent-eval': seatsConfig(baseUrl, 'bundle', { rollouts: 1 }),
      evolve: {
        name: 'echo',
        task_prompt: 'Answer with the input.',
        domain: 'scorer.ts',
        data: { train: 'examples.jsonl', valid: 'examples.jsonl' },
        evolution: { num_iterations: 0, initial_scaffolds: 1, scaffolds_per_iter: 1 },
        models: { scaffolder: { ...lm, model: 'openai/writer' } },
        sandbox: 'process',
      },
    };
    const logging = await program(
      'logging',
      `
      import { readFileSync } from 'node:fs';
      const client = await connect({ worker: true, notify: console.error });
      for (const [kind, config] of Object.entries(JSON.parse(process.argv[2]))) {
        const { artifacts } = await (await client.start(kind, config)).result();
        const lines = readFileSync(new URL(artifacts + '/run.log'), 'utf8').trim().split('\\n').map(JSON.parse);
        print({ kind, lines: lines.filter(({ component }) => ${OF_USERS}.test(component)) });
      }
      await client.close();
      `,
      JSON.stringify(configs),
    );
    const lines = (await linesOf(logging)).flatMap(({ kind, lines }) =>
      (lines as Record<string, unknown>[]).map(({ time: _time, ...line }) => ({ kind, ...line })),
    );
    const info = { level: 'INFO' };
    const ofRun = { kind: 'run', sample: 's1' };
    const ofKind = { kind: 'own-kind', ...info, component: 'kind', sample: 's1' };
    const ofRollout = { kind: 'agent-eval', ...info, sample: 'seat.000', trial: 0 };
    expect(lines).toEqual([
      { ...ofRun, ...info, component: 'agent', trial: 0, observation: 'What is 1 + 2?', msg: 'asks' },
      { ...ofRun, level: 'WARN', component: 'environment.parser', action: '3', msg: 'reads' },
      { ...ofKind, msg: 'begins' },
      { ...ofKind, text: '3', msg: 'goes on' },
      { ...ofKind, msg: 'ends' },
      { ...ofRollout, component: 'tool', tool: 'book', flight: 0, msg: 'booked' },
      { ...ofRollout, component: 'reward', msg: 'judged' },
      {
        kind: 'evolve',
        ...info,
        component: 'scorer',
        sample: 'e1',
        scaffold: '0',
        output: 'a',
        msg: 'scores',
      },
    ]);
  });

  it('keeps a memory of one’s own through the death of its worker', async () => {
    await place.write(
      'mistakes.ts',
      `export default class {
         constructor({ most }, saved) {
           this.most = most;
           this.kept = saved?.kept ?? [];
         }
         update(entry) {
           if (!entry.feedback.correct) this.kept.push(entry);
         }
         recall() {
           return this.kept.slice(-this.most);
         }
         snapshot() {
           return { kept: this.kept };
         }
       }`,
    );
    const items = Array.from({ length: 20 }, (_, index) => ({
      question: `What is ${index} + ${index}?`,
      answer: String(index % 2 === 0 ? 2 * index : -1),
    }));
    await place.write('mistakes.yaml', {
      ...sumsConfig(provider.baseUrl, 0, { dataset: { items, id_field: undefined } }),
      name: 'mistakes',
      runtime: { memory_scope: 'run' },
      agent: { type: 'memory_agent', history_k: 100 },
      memory: { type: 'own', file: 'mistakes.ts', options: { most: 4 } },
    });
    const WORKS = 'const client = await connect({ worker: true });';
    const first = await program('remembers', WORKS + FOLLOWS, 'mistakes.yaml');
    await untilIn(first, 'some samples are done', () => endedIn(first) > 5);
    await place.kill(first);
    const second = await program('remembers', WORKS + FOLLOWS, 'mistakes.yaml');
    const { metrics } = (await linesOf(second)).at(-1) as { metrics: Metrics };
    expect(metrics).toMatchObject({ status: 'done', samples: 20, correct: 10, errors: 0 });
    const memory = JSON.parse(await readFile(place.path('results/mistakes/memory.json'), 'utf8'));
    expect(memory._type).toBe('own');
    const kept = (memory.kept as { obs: string }[]).map(({ obs }) => obs);
    expect(kept).toEqual(items.filter((_, index) => index % 2 === 1).map(({ question }) => question));
    const shown = provider.requests.at(-1)?.lastUserText.match(/What is \d+ \+ \d+\?/g);
    // The newest four of before the last sample, and its own question.
    expect(shown).toEqual([...kept.slice(-5, -1), items.at(-1)?.question]);
  });

  it('runs the program of the documentation', async () => {
    const fence = fencesOf('docs/from-code.md').find(({ before }) => before === '<!-- file: follow.ts -->');
    const path = await place.write('follow.ts', fence?.content ?? '');
    const jiti = `${process.cwd()}/node_modules/jiti/lib/jiti-cli.mjs`;
    const { code, stdout, stderr } = await place.startProgram(process.execPath, [jiti, path]).done;
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/running 0 of 2|done 2 of 2/);
    expect(stdout).toMatch(/^accuracy \S+ in file:.*\/results\/capitals$/m);
    expect(await place.metrics('capitals')).toMatchObject({ status: 'done', samples: 2 });
    await until('the server is not used', async () => (await place.users()).length === 0);
  });
});

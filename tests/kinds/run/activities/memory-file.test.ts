import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CallRecord } from '../../../../src/contracts/language-model.js';
import type { EpisodeRecord } from '../../../../src/contracts/results.js';
import { initialMemory, readMemory } from '../../../../src/kinds/run/activities/memory-file.js';
import { type EpisodeLine, MergedParts, writePart } from '../../../../src/kinds/run/activities/part-file.js';
import { memoryOfSample, writeMemory } from '../../../../src/kinds/run/activities/write-memory.js';
import { partKey } from '../../../../src/kinds/run/paths.js';
import { createRandom } from '../../../../src/statistics/random.js';
import { resultRow } from '../../../../src/statistics/result-row.js';
import { openStore } from '../../../../src/storage/open.js';
import { artifactKeys } from '../../../../src/storage/paths.js';
import { episodeLine, keys, runContext, temporaryStore } from '../../../activities/support.js';
import { configOf, refusal } from '../../../support/configs.js';
import { FakeWorld, nameOf, reflexionAgent } from '../../../support/fake-world.js';
import { call, row, step } from '../../../support/rows.js';

const historyList = { _type: 'history_list', max_length: 1000 } as const;

/** The lines that a run with these records and replies left. */
function linesOf(records: EpisodeRecord[], replies: ReadonlyMap<string, string>): EpisodeLine[] {
  return records.map((record) => {
    const calls = record.calls.flatMap((identity): CallRecord[] => {
      const text = replies.get(nameOf(identity));
      return text === undefined ? [] : [call({ ...identity, text })];
    });
    return {
      kind: 'episode',
      index: record.index,
      trial: record.trial,
      row: resultRow(record, calls),
      calls,
      steps: record.steps,
    };
  });
}

test('a sample’s memory is made again from its rows, as it was when it ended', async () => {
  const store = await temporaryStore();
  for (let seed = 0; seed < 40; seed++) {
    const random = createRandom(`memory ${seed}`);
    const choose = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
    const runtime = {
      num_trials: 3,
      carry_memory_across_trials: choose([true, false]),
      max_steps_per_episode: choose([null, 2]),
      early_stop_on_success: choose([true, false]),
    };
    const agent = reflexionAgent(choose(['episode_end', 'per_step', 'both']));
    const world = new FakeWorld({
      rules: runtime,
      agent,
      patience: choose([1, 3]),
      refuses: 'break',
      answer: (name) => {
        const draw = random();
        if (name.includes('reflect')) return `advice ${draw}`;
        if (draw < 0.1) return new Error('gone');
        return draw < 0.2 ? '' : draw < 0.3 ? 'break' : draw < 0.5 ? 'right' : `answer ${draw}`;
      },
    });
    const lane = world.lane(1);
    await lane.run();
    const run = runContext(store, configOf({ runtime, agent, memory: historyList }));
    const again = await memoryOfSample(run, linesOf(world.records, world.replies), null);
    expect(again, `seed ${seed}`).toEqual(lane.snapshot().memory);
  }
});

test('a sample’s memory is made again with its programs’ results, for an agent of one’s own', async () => {
  const store = await temporaryStore();
  const folder = await mkdtemp(join(tmpdir(), 'reprise-own-agent-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'agent.mjs');
  await writeFile(
    file,
    `export default class {
      constructor({ memory, codeExecutor }) { Object.assign(this, { memory, codeExecutor }); }
      reset() {}
      snapshot() { return {}; }
      restore() {}
      async act() {
        const results = [];
        for (const code of ['print(1)', 'print(2)'])
          results.push(await this.codeExecutor.execute({ code, timeout_sec: 1 }).catch((error) => error.message));
        this.results = JSON.stringify(results);
        return 'x';
      }
      async observe() { this.memory.update({ _type: 'Observation', content: this.results }); }
      async endEpisode() {}
    }`,
  );
  const config = configOf({ agent: { type: 'own', file }, memory: historyList });
  const result = {
    status: 'ok',
    stdout: '2\n',
    stderr: '',
    exit_code: 0,
    truncated: false,
    seconds: 0.1,
  } as const;
  const execution = {
    sample_id: 'a',
    trial: 0,
    ordinal: 1,
    key: 'k',
    code: 'print(2)',
    timeout_sec: 1,
    sandbox: 'docker',
    at: '',
  } as const;
  const line = episodeLine(0, 0, { row: row('a', 0, 'no'), steps: [step(false)] });
  const memory = await memoryOfSample(
    runContext(store, config),
    [{ ...line, executions: [{ ...execution, ...result }] }],
    null,
  );
  expect(JSON.parse((memory.entries as { content: string }[])[0]?.content ?? '')).toEqual([
    'the program has no record',
    result,
  ]);
});

describe('memory.json', () => {
  const oneByOne = { memory_scope: 'run' };
  const lines = (id: string, index: number) =>
    episodeLine(index, 0, {
      row: row(id, 0, 'no'),
      calls: [call({ sample_id: id, text: `answer of ${id}` })],
      steps: [step(false)],
    });

  test('of samples with a memory each can be loaded by a run of the same kind', async () => {
    const store = await temporaryStore();
    await writePart(store, partKey('e', 0, 'w0'), [lines('a', 0), lines('constructor', 1)]);
    const saved = `${store.uri}/kept/memory.json`;
    const config = configOf({ runtime: { memory_scope: 'sample' }, output: { save_memory_path: saved } });
    const run = runContext(store, config);
    await writeMemory(run, await MergedParts.open(store, await keys(store)), {
      store,
      openStore,
      execution: 'e',
    });
    const loaded = await readMemory(openStore, saved, config.memory, 'sample');
    expect(JSON.parse((await store.readText(artifactKeys.memory)) ?? '')).toEqual(loaded);
    const own = initialMemory(config.memory, loaded, 'constructor');
    expect(JSON.stringify(own)).toContain('answer of constructor');
    expect(JSON.stringify(own)).not.toContain('answer of a');
    expect(initialMemory(config.memory, loaded, 'toString')).toBeNull();
    await expect(readMemory(openStore, saved, config.memory, 'run')).rejects.toThrow('memory_scope: sample');
  });

  test('of a sample that a lane has left one for is that one: nobody runs the agent again', async () => {
    const store = await temporaryStore();
    const left = (content: string) => ({ ...historyList, entries: [{ _type: 'Summary', content }] });
    const part = (index: number, sample_id: string, content: string) =>
      ({ kind: 'memory', index, sample_id, memory: left(content) }) as const;
    await writePart(store, partKey('e', 0, 'w0'), [lines('a', 0), lines('b', 1), part(0, 'a', 'too early')]);
    await writePart(store, partKey('e', 1, 'w0'), [part(0, 'a', 'of the lane')]);
    const config = configOf({ runtime: { memory_scope: 'sample' } });
    const parts = await MergedParts.open(store, await keys(store));
    await writeMemory(runContext(store, config), parts, { store, openStore, execution: 'e' });
    const { memories } = JSON.parse((await store.readText(artifactKeys.memory)) ?? '');
    expect(memories.a).toEqual(left('of the lane'));
    expect(JSON.stringify(memories.b)).toContain('answer of b');
  });

  test('that all samples share is the last lane’s, and every sample of a later run begins with it', async () => {
    const store = await temporaryStore();
    const memory = { ...historyList, entries: [{ _type: 'reflection', content: 'think' }] };
    await writePart(store, partKey('e', 0, 'w0'), [
      { kind: 'memory', index: 0, sample_id: 'a', memory: { ...historyList, entries: [] } },
    ]);
    await writePart(store, partKey('e', 1, 'w0'), [{ kind: 'memory', index: 4, sample_id: 'b', memory }]);
    const run = runContext(store, configOf({ runtime: oneByOne }));
    await writeMemory(run, await MergedParts.open(store, await keys(store)), {
      store,
      openStore,
      execution: 'e',
    });
    for (const scope of ['run', 'sample'] as const) {
      const loaded = await readMemory(openStore, `${store.uri}/memory.json`, historyList, scope);
      expect(loaded).toEqual(memory);
      expect(initialMemory(historyList, loaded, 'anything')).toEqual(memory);
    }
  });

  test('of a run that remembered nothing is an empty memory', async () => {
    const store = await temporaryStore();
    await writeMemory(runContext(store, configOf({ runtime: oneByOne })), await MergedParts.open(store, []), {
      store,
      openStore,
      execution: 'e',
    });
    expect(await readMemory(openStore, `${store.uri}/memory.json`, historyList, 'run')).toEqual({
      _type: 'history_list',
      max_length: 100,
      entries: [],
    });
  });

  test.each([
    ['no file', null, 'there is no file at'],
    ['no JSON', '{', 'is not JSON'],
    ['null', 'null', 'holds no memory'],
    ['a list', '[]', 'holds no memory: there is no "_type"'],
    ['a mapping of something else', '{"entries": []}', 'holds no memory: there is no "_type"'],
    ['samples without memories', '{"_type": "per_sample"}', '"memories" must be a mapping'],
    ['samples in a list', '{"_type": "per_sample", "memories": []}', '"memories" must be a mapping'],
    [
      'a null among samples’',
      '{"_type": "per_sample", "memories": {"a": null}}',
      'sample a: this is no memory',
    ],
    ['another kind', '{"_type": "cheatsheet"}', 'is a cheatsheet, the config asks for a history_list'],
    ['a bad entry', '{"_type": "history_list", "entries": [{}]}', 'entry 0 is not a memory entry'],
    [
      'a bad one among samples’',
      '{"_type": "per_sample", "memories": {"a": {"_type": "x"}}}',
      'sample a: the saved memory is a x',
    ],
  ])('%s is refused with the field', async (_name, content, message) => {
    const store = await temporaryStore();
    if (content !== null) await store.write('memory.json', content);
    const reading = readMemory(openStore, `${store.uri}/memory.json`, historyList, 'sample');
    const error = await reading.then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(
      refusal(() => {
        throw error;
      }),
    ).toMatchObject({ field: 'output.load_memory_path', message: expect.stringContaining(message) });
  });
});

import { describe, expect, test } from 'vitest';
import type { FlagValues } from '../../../src/config/flags.js';
import { loadConfig } from '../../../src/config/load.js';
import { agentEvalConfigs } from '../../../src/kinds/agent-eval/config.js';
import { agentEvalConfigWith } from '../../config/agent-eval-support.js';
import { refusal } from '../../support/configs.js';

/** A bad section, the field that the refusal names, and what its message says. */
const refused: [sections: Record<string, unknown>, field: string, message: string][] = [
  // Unknown fields, also within an alternative.
  [{ rollout: 3 }, 'rollout', "unknown field 'rollout', did you mean 'rollouts'?"],
  [{ agent: { prompt: 'x' } }, 'agent.prompt', 'allowed: system_prompt'],
  [{ user: { stop: 'x' } }, 'user.stop', 'allowed: stop_token'],
  [
    { models: { user: { provider: 'simulated', modell: 'x' } } },
    'models.user.modell',
    "did you mean 'model'?",
  ],
  [{ output: { save_memory_path: 'x' } }, 'output.save_memory_path', 'allowed: results_dir, log_level'],
  // Wrong types, and numbers out of range.
  [{ rollouts: 0 }, 'rollouts', 'must be more than 0'],
  [{ tool_timeout_sec: 0 }, 'tool_timeout_sec', 'must be more than 0'],
  [{ datasets: [] }, 'datasets', 'must have at least 1 entry'],
  [{ rows: [] }, 'rows', 'must have at least 1 entry'],
  [{ user: { stop_token: 'x' } }, 'user.stop_token', 'must have at least 3 characters'],
  [{ user: 3 }, 'user', 'must be a mapping, not 3'],
  [{ now: 'tomorrow' }, 'now', '"tomorrow" is no time; write 2026-03-02'],
  [{ agent: { system_prompt: 'Today is {{date}}.' } }, 'agent.system_prompt', '{{date}} is not known'],
  // The models.
  [
    { models: { agent: undefined } },
    'models.agent',
    'is missing; it must be a mapping (on the command line: --model, or set MODEL_AGENT)',
  ],
  [{ models: { agent: {} } }, 'models.agent.model', 'give a model as provider/name'],
  [{ lm: 'simulated/x' }, 'models.agent', 'stands beside lm, which is short for it; give one of them'],
  [{ agent: { lm: 'simulated/x' } }, 'agent.lm', 'stands beside models.agent, which is the same; give one'],
  [{ models: { agent: 'gpt-4o' } }, 'models.agent.model', 'write e.g. openai/gpt-4o'],
  [{ models: { user: 'nobody' } }, 'models.user.model', "'nobody' does not begin with a provider"],
  [{ models: { user: { provider: 'scripted' } } }, 'models.user.script', 'needs script'],
  [
    { models: { user: { provider: 'scripted', script: 'no' } } },
    'models.user.script',
    'no file at /configs/no',
  ],
  // Bundles.
  [{ datasets: undefined }, 'datasets', 'is missing; it must be a list (on the command line: --dataset)'],
  [{ dataset: 'x' }, 'dataset', 'stands beside datasets'],
  [{ datasets: ['/', 'no'] }, 'datasets[1]', 'there is no file at /configs/no'],
  [{ datasets: ['/', '/'] }, 'datasets[1]', '/ is datasets[0] once more'],
  [{ datasets: ['s3://bucket/x'] }, 'datasets[0]', 'lies on the worker’s machine'],
  [{ datasets: ['flight.yaml'] }, 'datasets[0]', 'flight.yaml is a config, not a bundle'],
  [{ rows: ['a', 'a'] }, 'rows[1]', 'a is rows[0] once more'],
  // Prompts.
  [{ agent: { system_prompt: 'no.md' } }, 'agent.system_prompt', 'no file at /configs/no.md'],
  [{ agent: { system_prompt: ' ' } }, 'agent.system_prompt', 'the text is empty'],
  // Secrets.
  [{ agent: { api_key: 'x' } }, 'agent.api_key', 'the name of a credential'],
  [{ name: '…' }, 'name', 'leaves nothing for the name of a folder'],
  [{ output: { results_dir: 's3://bucket/x?signature=x' } }, 'output.results_dir', "parameter 'signature'"],
  [{ user: { token: 'x' } }, 'user.token', 'the name of a credential'],
  [{ output: { results_dir: 's3://me:secret@bucket/x' } }, 'output.results_dir', 'holds a password'],
];

describe('a bad evaluation', () => {
  test.each(refused)('%j is refused by its field %s: %s', (sections, field, message) => {
    const error = refusal(() => agentEvalConfigWith(sections));
    expect(error.field).toBe(field);
    expect(error.message).toContain(field);
    expect(error.message).toContain(message);
  });

  test('the minimal one, which all of them begin from, is accepted', () => {
    expect(agentEvalConfigWith()).toMatchObject({ name: 'it', models: { user: null } });
  });

  test.each<[FlagValues, string]>([
    [{ rollouts: 'many' }, 'rollouts: must be a number, not "many"'],
    [{ concurrency: '0' }, 'concurrency: must be more than 0'],
    [{ model: 'x' }, "models.agent.model: 'x' does not begin with a provider"],
    [{ datasets: ['no.jsonl'] }, 'datasets[0]: there is no file at /work/no.jsonl'],
  ])('the flags %j are refused by the field they stand for', (flags, message) => {
    expect(refusal(() => agentEvalConfigWith({}, { flags })).message).toContain(message);
  });

  test('no config and no flags say what is missing', () => {
    const error = refusal(() => loadConfig(agentEvalConfigs, null, { environment: {} }));
    expect(error.message).toMatch(
      /^the command line:\n {2}datasets: is missing[\s\S]*--dataset[\s\S]*--model/,
    );
  });
});

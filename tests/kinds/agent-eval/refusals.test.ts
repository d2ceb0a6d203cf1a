import { describe, expect, test } from 'vitest';
import type { FlagValues } from '../../../src/config/flags.js';
import { loadConfig } from '../../../src/config/load.js';
import { agentEvalConfigs } from '../../../src/kinds/agent-eval/config.js';
import { agentEvalConfigWith } from '../../config/agent-eval-support.js';
import { refusal } from '../../support/configs.js';

const simulated = { lm: { provider: 'simulated' } };

/** A bad section, the field that the refusal names, and what its message says. */
const refused: [sections: Record<string, unknown>, field: string, message: string][] = [
  // Unknown fields, also within an alternative.
  [{ rollout: 3 }, 'rollout', "unknown field 'rollout', did you mean 'rollouts'?"],
  [{ agent: { ...simulated, prompt: 'x' } }, 'agent.prompt', 'allowed: lm, system_prompt'],
  [{ user: { ...simulated, stop: 'x' } }, 'user.stop', 'allowed: lm, stop_token'],
  [{ user: { lm: { provider: 'simulated', modell: 'x' } } }, 'user.lm.modell', "did you mean 'model'?"],
  [{ output: { save_memory_path: 'x' } }, 'output.save_memory_path', 'allowed: results_dir, log_level'],
  // Wrong types, and numbers out of range.
  [{ rollouts: 0 }, 'rollouts', 'must be more than 0'],
  [{ tool_timeout_sec: 0 }, 'tool_timeout_sec', 'must be more than 0'],
  [{ datasets: [] }, 'datasets', 'must have at least 1 entry'],
  [{ rows: [] }, 'rows', 'must have at least 1 entry'],
  [{ user: { ...simulated, stop_token: 'x' } }, 'user.stop_token', 'must have at least 3 characters'],
  [{ user: 3 }, 'user', 'must be a mapping, not 3'],
  [{ now: 'tomorrow' }, 'now', '"tomorrow" is no time; write 2026-03-02'],
  [
    { agent: { ...simulated, system_prompt: 'Today is {{date}}.' } },
    'agent.system_prompt',
    '{{date}} is not known',
  ],
  // The models.
  [
    { agent: undefined },
    'agent',
    'is missing; it must be a mapping (on the command line: --agent, or set MODEL_AGENT)',
  ],
  [{ agent: {} }, 'agent.lm', 'is missing; it must be a mapping (on the command line: --agent'],
  [{ user: {} }, 'user.lm', 'is missing; it must be a mapping (on the command line: --user'],
  [{ agent: 'gpt-4o' }, 'agent.lm.model', 'write e.g. openai/gpt-4o'],
  [{ user: 'nobody' }, 'user.lm.model', "'nobody' does not begin with a provider"],
  [{ user: { lm: { provider: 'scripted' } } }, 'user.lm.script', 'needs script'],
  [{ user: { lm: { provider: 'scripted', script: 'no' } } }, 'user.lm.script', 'no file at /configs/no'],
  // Bundles.
  [{ datasets: undefined }, 'datasets', 'is missing; it must be a list (on the command line: --dataset)'],
  [{ dataset: 'x' }, 'dataset', 'stands beside datasets'],
  [{ datasets: ['/', 'no'] }, 'datasets[1]', 'there is no file at /configs/no'],
  [{ datasets: ['/', '/'] }, 'datasets[1]', '/ is datasets[0] once more'],
  [{ datasets: ['s3://bucket/x'] }, 'datasets[0]', 'lies on the worker’s machine'],
  [{ datasets: ['flight.yaml'] }, 'datasets[0]', 'flight.yaml is a config, not a bundle'],
  [{ rows: ['a', 'a'] }, 'rows[1]', 'a is rows[0] once more'],
  // Prompts.
  [{ agent: { ...simulated, system_prompt: 'no.md' } }, 'agent.system_prompt', 'no file at /configs/no.md'],
  [{ agent: { ...simulated, system_prompt: ' ' } }, 'agent.system_prompt', 'the text is empty'],
  // Secrets.
  [{ agent: { ...simulated, api_key: 'x' } }, 'agent.api_key', 'the name of a credential'],
  [{ name: '…' }, 'name', 'leaves nothing for the name of a folder'],
  [{ output: { results_dir: 's3://bucket/x?signature=x' } }, 'output.results_dir', "parameter 'signature'"],
  [{ user: { ...simulated, token: 'x' } }, 'user.token', 'the name of a credential'],
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
    expect(agentEvalConfigWith()).toMatchObject({ name: 'it', user: null });
  });

  test.each<[FlagValues, string]>([
    [{ rollouts: 'many' }, 'rollouts: must be a number, not "many"'],
    [{ concurrency: '0' }, 'concurrency: must be more than 0'],
    [{ agent: 'x' }, "agent.lm.model: 'x' does not begin with a provider"],
    [{ datasets: ['no.jsonl'] }, 'datasets[0]: there is no file at /work/no.jsonl'],
  ])('the flags %j are refused by the field they stand for', (flags, message) => {
    expect(refusal(() => agentEvalConfigWith({}, { flags })).message).toContain(message);
  });

  test('no config and no flags say what is missing', () => {
    const error = refusal(() => loadConfig(agentEvalConfigs, null, { environment: {} }));
    expect(error.message).toMatch(
      /^the command line:\n {2}datasets: is missing[\s\S]*--dataset[\s\S]*--agent/,
    );
  });
});

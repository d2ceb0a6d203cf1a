import type { StepOutcome, Task } from '../../src/contracts/environment.js';
import type { Json, JsonObject } from '../../src/contracts/json.js';
import type { Environment, EnvironmentServices } from '../../src/environments/environment.js';
import { builtInEnvironment } from '../../src/environments/registry.js';

interface Setting extends Partial<Task> {
  options?: JsonObject;
  instruction_template?: string;
  compareSymbolically?: EnvironmentServices['compareSymbolically'];
}

/** A built-in environment over one task. */
export function environment(name: string, setting: Setting = {}): Environment {
  const {
    options = {},
    instruction_template,
    compareSymbolically = async () => undefined,
    ...task
  } = setting;
  const environmentClass = builtInEnvironment(name);
  if (environmentClass === undefined) throw new Error(`no environment is called ${name}`);
  return new environmentClass(
    { index: 3, id: 'q3', question: 'What is it?', target: 'it', metadata: {}, ...task },
    { options, ...(instruction_template === undefined ? {} : { instruction_template }) },
    { compareSymbolically },
  );
}

/** Plays the actions from a reset. Every state goes through JSON, as it does between two processes. */
export async function play(env: Environment, ...actions: string[]): Promise<StepOutcome[]> {
  let { state } = await env.reset();
  const outcomes: StepOutcome[] = [];
  for (const action of actions) {
    const outcome = await env.step(JSON.parse(JSON.stringify(state)) as Json, action);
    outcomes.push(outcome);
    state = outcome.state;
  }
  return outcomes;
}

/** What `validate` complains of, or null. */
export function complaint(env: Environment): string | null {
  try {
    env.validate();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

import type { JsonObject } from '../../../../src/contracts/json.js';
import type { DatasetExample, ScaffoldRunData } from '../../../../src/kinds/evolve/evolution/types.js';
import type { Random } from '../../../../src/statistics/random.js';

/** A whole number from 0 to below `limit`. */
export function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}

export function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[below(items.length, random)] as Item;
}

export function example(id: string, input: string, scoring_data: JsonObject = {}): DatasetExample {
  return { id, input, scoring_data };
}

/** A run on the example `x`; give what matters. */
export function runData(fields: Partial<ScaffoldRunData> = {}): ScaffoldRunData {
  return {
    files: { 'scaffold.py': 'def process_input(input_string):\n    return input_string\n' },
    execution_log: '',
    printed: '',
    example: example('x', 'the input', { answer: 'the answer' }),
    actual_output: 'the output',
    score: 0,
    message: '',
    ...fields,
  };
}

/** What a value is after it went through a file or a payload. */
export function throughJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import {
  agentEvalConfigJsonSchema,
  configJsonSchema,
  evolveConfigJsonSchema,
} from '../config/json-schema.js';
import { readableJson } from '../storage/json-lines.js';
import { PUBLISHED_SCHEMAS, trajectoryJsonSchema } from '../trajectories/json-schema.js';
import { EXIT } from './exit.js';
import { writeOut } from './print.js';

/** By kind: of configs, and of the rows of trajectories. */
const SCHEMAS: ReadonlyMap<string, () => unknown> = new Map([
  ['run', configJsonSchema],
  ['evolve', evolveConfigJsonSchema],
  ['agent-eval', agentEvalConfigJsonSchema],
  ...PUBLISHED_SCHEMAS.map((kind) => [kind, () => trajectoryJsonSchema(kind)] as const),
]);

export function addSchemaCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('schema')
    .description('the JSON Schema of a config, for editors, or of a row of trajectories')
    .argument('[kind]', `run (the default), or one of ${[...SCHEMAS.keys()].slice(1).join(', ')}`)
    .option('--out <file>', 'default: standard output')
    .action((kind: string | undefined, options: { out?: string }) => {
      const schema = SCHEMAS.get(kind ?? 'run');
      if (schema === undefined) {
        throw new InvalidInputError(
          `there is no schema of kind '${kind}'; kinds: ${[...SCHEMAS.keys()].join(', ')}`,
        );
      }
      const text = readableJson(schema());
      if (options.out === undefined) writeOut(text);
      else writeFileSync(options.out, text);
      finish(EXIT.done);
    });
}

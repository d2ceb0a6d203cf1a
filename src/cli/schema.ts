import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import { configJsonSchema, evolveConfigJsonSchema } from '../config/json-schema.js';
import { readableJson } from '../storage/json-lines.js';
import { EXIT } from './exit.js';

const SCHEMAS = {
  run: configJsonSchema,
  evolve: evolveConfigJsonSchema,
} as const;

export function addSchemaCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('schema')
    .description('the JSON Schema of a config, for editors')
    .argument('[kind]', 'run (the default) or evolve')
    .option('--out <file>', 'default: standard output')
    .action((kind: string | undefined, options: { out?: string }) => {
      const schema = SCHEMAS[(kind ?? 'run') as keyof typeof SCHEMAS];
      if (schema === undefined) {
        throw new InvalidInputError(
          `there is no config of kind '${kind}'; kinds: ${Object.keys(SCHEMAS).join(', ')}`,
        );
      }
      const text = readableJson(schema());
      if (options.out === undefined) process.stdout.write(text);
      else writeFileSync(options.out, text);
      finish(EXIT.done);
    });
}

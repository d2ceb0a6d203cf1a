import { writeFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import { KINDS, kindOf } from '../kinds/registry.js';
import { readableJson } from '../storage/json-lines.js';
import {
  PUBLISHED_SCHEMAS,
  type PublishedSchema,
  trajectoryJsonSchema,
} from '../trajectories/json-schema.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { writeOut } from './print.js';

/** Returns the schema with a name. */
async function schemaOf(name: string): Promise<unknown> {
  const kind = kindOf(name);
  return kind === undefined
    ? trajectoryJsonSchema(name as PublishedSchema)
    : (await kind.kind()).config.jsonSchema();
}

export function addSchemaCommand(program: Command, finish: (code: number) => void): void {
  const names = [...KINDS.map(({ id }) => id), ...PUBLISHED_SCHEMAS];
  program
    .command('schema')
    .addHelpText(
      'after',
      examples(
        'reprise schema --out reprise.schema.json',
        'reprise schema trajectory --out trajectory.schema.json',
      ),
    )
    .addArgument(new Argument('[kind]', 'of a config, or of a row').choices(names).default(names[0]))
    .option('--out <file>', 'default: standard output')
    .action(async (kind: string, options: { out?: string }) => {
      const text = readableJson(await schemaOf(kind));
      if (options.out === undefined) writeOut(text);
      else writeFileSync(options.out, text);
      finish(EXIT.done);
    });
}

import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import { KINDS, kindOf } from '../kinds/registry.js';
import { readableJson } from '../storage/json-lines.js';
import { PUBLISHED_SCHEMAS, trajectoryJsonSchema } from '../trajectories/json-schema.js';
import { EXIT } from './exit.js';
import { writeOut } from './print.js';

/** Returns the schema with a name; null: there is none. */
async function schemaOf(name: string): Promise<unknown> {
  const kind = kindOf(name);
  if (kind !== undefined) return (await kind.kind()).config.jsonSchema();
  const published = PUBLISHED_SCHEMAS.find((one) => one === name);
  return published === undefined ? null : trajectoryJsonSchema(published);
}

export function addSchemaCommand(program: Command, finish: (code: number) => void): void {
  const names = [...KINDS.map(({ id }) => id), ...PUBLISHED_SCHEMAS];
  const [usual = '', ...others] = names;
  program
    .command('schema')
    .argument('[kind]', `${usual} (the default), or one of ${others.join(', ')}`)
    .option('--out <file>', 'default: standard output')
    .action(async (kind: string | undefined, options: { out?: string }) => {
      const schema = await schemaOf(kind ?? usual);
      if (schema === null) {
        throw new InvalidInputError(`there is no schema of kind '${kind}'; kinds: ${names.join(', ')}`);
      }
      const text = readableJson(schema);
      if (options.out === undefined) writeOut(text);
      else writeFileSync(options.out, text);
      finish(EXIT.done);
    });
}

import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { configJsonSchema } from '../config/json-schema.js';
import { EXIT } from './exit.js';

export function addSchemaCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('schema')
    .description('the JSON Schema of a config, for editors')
    .option('--out <file>', 'default: standard output')
    .action((options: { out?: string }) => {
      const text = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
      if (options.out === undefined) process.stdout.write(text);
      else writeFileSync(options.out, text);
      finish(EXIT.done);
    });
}

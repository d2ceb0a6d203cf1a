import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { carryOut } from '../../../cli/carry-out.js';
import { collect } from '../../../cli/collect.js';
import { examples } from '../../../cli/examples.js';
import { carriedOut, readAsked } from '../../../cli/experiment.js';
import { sayText } from '../../../cli/print.js';
import { loadKind } from '../../registry.js';

const CONFIG = fileURLToPath(new URL('../../../../configs/reflexion.yaml', import.meta.url));
/** Limit of calls of a real model. */
const REAL_MODEL_CALLS = 300;

export function addDemoCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('demo')
    .addHelpText('after', examples('reprise demo', 'reprise demo --model gemini/gemini-2.5-flash'))
    .option(
      '--model <provider/name>',
      'a real model, e.g. gemini/gemini-2.5-flash, with its key in the environment',
    )
    .option('--set <field=value>', 'override a field of configs/reflexion.yaml', collect, [])
    .option('--json', 'print the result as JSON, and nothing else')
    .action(async (options: { model?: string; set: string[]; json?: boolean }) => {
      const say = (message: string) => void (options.json || sayText(message));
      const model = options.model;
      const real =
        model === undefined
          ? []
          : [
              `lm={"model": ${JSON.stringify(model)}}`,
              `limits.max_lm_calls=${REAL_MODEL_CALLS}`,
              'name=demo-real-model',
            ];
      const loaded = await loadKind('run');
      const set = [...real, ...options.set];
      const config = await readAsked(loaded, CONFIG, { set, resultsDir: 'results' });
      const notes = await loaded.command.check(config);
      say('Reprise demo: Game of 24, up to three trials a puzzle, a reflection after each failure.');
      say(
        model === undefined
          ? 'The model is a simulation: it costs nothing, needs no key, and its figures say nothing about any real model.'
          : `The model is ${model}; the run stops after ${REAL_MODEL_CALLS} calls.`,
      );
      const code = await carryOut(carriedOut({ ...loaded, config, notes, json: options.json === true }));
      if (code === 0) {
        const config_path = existsSync('configs/reflexion.yaml') ? 'configs/reflexion.yaml' : CONFIG;
        say(
          `\nNext: look at the run in the Temporal UI with   npx reprise dev\n      run your own config, beginning with          ${config_path}`,
        );
      }
      finish(code);
    });
}

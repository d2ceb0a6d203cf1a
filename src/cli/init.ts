import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { shellWord } from './format.js';
import { printText } from './print.js';
import { writeTemplate } from './write-template.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/first-run', import.meta.url));
const CONFIG = 'experiment.yaml';
const GITIGNORE = '.gitignore';

/** What commands write into the folder, and where keys are often kept. */
const IGNORED = ['results/', '.reprise/', '.env', 'node_modules/'];

/** Returns the contents of the files, by name. */
function template(): Record<string, string> {
  const copied = [CONFIG, 'questions.jsonl'].map((name) => [name, readFileSync(join(EXAMPLE, name), 'utf8')]);
  return { ...Object.fromEntries(copied), [GITIGNORE]: `${IGNORED.join('\n')}\n` };
}

export function addInitCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('init')
    .addHelpText('after', examples('reprise init my-experiment'))
    .argument('[folder]', 'made where it is not there', '.')
    .action(async (folder: string) => {
      const written = await writeTemplate(folder, template());
      const path = join(folder, GITIGNORE);
      const isIgnored = written.includes(path);
      const enter = folder === '.' ? '' : `cd ${shellWord(folder)} && `;
      printText(
        [
          ...written,
          ...(isIgnored ? [] : [`${path} is kept as it is; add to it: ${IGNORED.join(' ')}`]),
          `Next: ${enter}npx reprise run ${CONFIG}`,
          `      npx reprise run ${CONFIG} --name real --set lm.model=openai/gpt-4.1-mini --set limits.max_cost_usd=1`,
        ].join('\n'),
      );
      finish(EXIT.done);
    });
}

import { type Command, Option } from 'commander';
import { examples } from '../../../cli/examples.js';
import { EXIT } from '../../../cli/exit.js';
import { printJson, printText } from '../../../cli/print.js';
import { writeTemplate } from '../../../cli/write-template.js';
import { InvalidInputError } from '../../../config/errors.js';
import { countedText } from '../../../statistics/figure-text.js';
import { commandCode } from '../../../user-code/code-runner.js';
import { moduleTrialIn } from '../bundle-code.js';
import type { ModuleTrial } from '../bundles/bundle-modules.js';
import { type CheckReport, checkBundle, type Finding } from '../bundles/check.js';
import { type Bundle, BundleError, describeFault, type LoadOptions, loadBundle } from '../bundles/load.js';
import { readTime } from '../bundles/row-schema.js';
import { BUNDLE_TEMPLATE } from '../bundles/template.js';
import type { PlayOptions } from './bundle-play.js';
import type { ServeOptions } from './bundle-serve.js';

interface CheckOptions {
  row: string[];
  now?: string;
  strict?: boolean;
  json?: boolean;
}

function presentTime(now: string | undefined): string {
  if (now === undefined) return new Date().toISOString();
  const time = readTime(now);
  if (time === null) throw new InvalidInputError(`--now ${now}: write 2026-03-02 or 2026-03-02T09:00:00Z`);
  return time;
}

function assertRows(bundle: Bundle, ids: readonly string[]): void {
  const known = bundle.rows.map(({ row }) => row.id);
  const missing = ids.find((id) => !known.includes(id));
  if (missing === undefined) return;
  throw new InvalidInputError(`--row ${missing}: there is no such row; there are ${known.join(', ')}`);
}

async function check(folder: string, row: readonly string[], options: LoadOptions): Promise<CheckReport> {
  const bundle = await loadBundle(folder, options);
  assertRows(bundle, row);
  return checkBundle(bundle, row);
}

/** Returns the check report of a bundle that cannot be loaded. */
function unloadable(folder: string, { faults }: BundleError): CheckReport {
  const findings = faults.map((fault): Finding => ({ ...fault, severity: 'error' }));
  return { file: folder, rows: 0, with_oracle: 0, proven_solvable: 0, tools: {}, findings };
}

function printReport(report: CheckReport): void {
  const { file, rows, with_oracle, proven_solvable, tools, findings } = report;
  for (const finding of findings) printText(`${finding.severity}: ${describeFault(finding)}`);
  const offered = Object.entries(tools).map(([name, names]) => `${name} (${names.join(', ')})`);
  const count = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length;
  printText(
    [
      `${file}: ${rows} rows, ${with_oracle} with an oracle, ${proven_solvable} proven solvable`,
      `tools: ${offered.join('; ')}`,
      `${countedText(count('error'), 'error')}, ${countedText(count('warning'), 'warning')}`,
    ].join('\n'),
  );
}

function exitCode({ findings }: CheckReport, strict: boolean): number {
  const bad = findings.some(({ severity }) => severity === 'error' || strict);
  return bad ? EXIT.badInput : EXIT.done;
}

/** @param trial runs on each module before it is loaded. */
export function addBundleCommands(
  program: Command,
  finish: (code: number) => void,
  trial: ModuleTrial = moduleTrialIn(commandCode()),
): void {
  const loadOptions = ({ now }: { now?: string }): LoadOptions => ({ now: presentTime(now), trial });
  const bundle = program
    .command('bundle')
    .addHelpText('after', examples('reprise bundle new my-task', 'reprise bundle check my-task'));

  bundle
    .command('new')
    .addHelpText('after', examples('reprise bundle new my-task'))
    .description('write a bundle to start from')
    .argument('<folder>', 'made where it is not there')
    .action(async (folder: string) => {
      const written = await writeTemplate(folder, BUNDLE_TEMPLATE);
      printText(
        [
          ...written,
          `Next: reprise bundle check ${folder}, and reprise bundle test ${folder}`,
          `For types in an editor and with tsc, in that folder: npm link reprise && npm install --save-dev @types/node`,
        ].join('\n'),
      );
      finish(EXIT.done);
    });

  bundle
    .command('check')
    .addHelpText('after', examples('reprise bundle check my-task --strict'))
    .description('try rows, SQL, tools, reward and oracles of a bundle, without a model')
    .argument('<folder>', 'a bundle, or a dataset in it')
    .option(
      '--row <id>',
      'this row only; may be repeated',
      (id: string, ids: string[]) => [...ids, id],
      [] as string[],
    )
    .option('--now <time>', 'the present time of rows without one of their own, ISO 8601; default: now')
    .option('--strict', 'exit with 2 for warnings too')
    .option('--json', 'for machines')
    .action(async (folder: string, options: CheckOptions) => {
      const report = await check(folder, options.row, loadOptions(options)).catch((error: unknown) => {
        if (!options.json || !(error instanceof BundleError)) throw error;
        return unloadable(folder, error);
      });
      if (options.json) printJson(report);
      else printReport(report);
      finish(exitCode(report, options.strict ?? false));
    });

  bundle
    .command('test')
    .addHelpText('after', examples('reprise bundle test my-task'))
    .description('run the tests that lie in a bundle: *.test.ts')
    .argument('<folder>', 'of the bundle')
    .action(async (folder: string) => {
      const { testBundle } = await import('./bundle-test.js');
      finish(await testBundle(folder));
    });

  bundle
    .command('serve')
    .addHelpText('after', examples('reprise bundle serve my-task --row library.lend.001'))
    .description(
      'try the tools by hand: a page and an OpenAPI app on this machine, with a throw-away database',
    )
    .argument('<folder>', 'a bundle, or a dataset in it')
    .option('--row <id>', 'whose seed and tools; default: the first row’s')
    .option('--now <time>', 'the present time of rows without one of their own, ISO 8601; default: now')
    .option('--port <n>', '0 for a free one', '8765')
    .action(async (folder: string, options: ServeOptions & { now?: string }) => {
      const { serveUntilInterrupted } = await import('./bundle-serve.js');
      const loading = loadOptions(options);
      await serveUntilInterrupted(() => loadBundle(folder, loading), options);
      finish(EXIT.done);
    });

  bundle
    .command('play')
    .addHelpText(
      'after',
      examples('reprise bundle play my-task library.lend.001 --as agent --model openai/gpt-4.1-mini'),
    )
    .description('be the user, or the agent, of one row in the terminal; a model is the other')
    .argument('<folder>', 'a bundle, or a dataset in it')
    .argument('<row>', 'the row’s id')
    .addOption(new Option('--as <part>', 'who you are').choices(['user', 'agent']).default('user'))
    .option('--model <provider/model>', 'the other one (MODEL_AGENT, or MODEL_SIM with --as agent)')
    .option('--base-url <url>', 'an OpenAI-compatible server')
    .option('--now <time>', 'the present time of rows without one of their own, ISO 8601; default: now')
    .action(async (folder: string, row: string, options: PlayOptions & { now?: string }) => {
      // The code of models is loaded only for this command.
      const { playInTerminal } = await import('./bundle-play.js');
      await playInTerminal(await loadBundle(folder, loadOptions(options)), row, options);
      finish(EXIT.done);
    });
}

import { createInterface } from 'node:readline';
import { checkModel } from '../../../activities/check-model.js';
import { printText, screen } from '../../../cli/print.js';
import { InvalidInputError } from '../../../config/errors.js';
import { type LanguageModelConfig, languageModelSchema } from '../../../config/language-model-schema.js';
import { namedModel } from '../../../config/named-model.js';
import { requireFile } from '../../../config/paths.js';
import { createLanguageModel } from '../../../language-models/create.js';
import type { Bundle } from '../bundles/load.js';
import type { LoadedRow } from '../bundles/row-loader.js';
import { DEFAULT_STOP_TOKEN } from '../rollouts/simulated-user.js';
import { type ModelPlayer, modelAsAgent, modelAsUser } from '../workbench/model-players.js';
import { MessageDisplay, personAsAgent, personAsUser, type Terminal, userHelp } from '../workbench/person.js';
import { type PlayedRow, type Players, playRow } from '../workbench/play-row.js';
import { bundleRow } from '../workbench/tool-desk.js';

export interface PlayOptions {
  as: 'user' | 'agent';
  model?: string;
  baseUrl?: string;
}

const PARTS = { user: 'MODEL_AGENT', agent: 'MODEL_SIM' } as const;

/** Creates a terminal that reads standard input and prints line by line, even if these are no TTY. */
function standardTerminal(): Terminal & { close(): void } {
  const { stdin } = process;
  const reader = createInterface({ input: stdin, output: screen, terminal: stdin.isTTY && screen.isTTY });
  const lines = reader[Symbol.asyncIterator]();
  // Ctrl-C ends the conversation like Ctrl-D, and the row is judged.
  reader.on('SIGINT', () => reader.close());
  return {
    say: printText,
    ask: async (prompt) => {
      reader.setPrompt(prompt);
      reader.prompt();
      const { value, done } = await lines.next();
      return done === true ? null : value;
    },
    close: () => reader.close(),
  };
}

/** Determines the model of the other part. @throws InvalidInputError */
async function otherModel(
  part: keyof typeof PARTS,
  { model, baseUrl }: PlayOptions,
  environment: NodeJS.ProcessEnv,
): Promise<LanguageModelConfig> {
  const name = model ?? environment[PARTS[part]]?.trim();
  const server =
    baseUrl ?? (model === undefined ? environment[`${PARTS[part]}_BASE_URL`]?.trim() : undefined);
  if (!name) {
    const other = part === 'user' ? 'the agent' : 'the user';
    throw new InvalidInputError(
      `--model: is missing, and ${PARTS[part]} is not set: which model is ${other}?`,
    );
  }
  const read = languageModelSchema.safeParse({ ...namedModel(name), ...(server && { base_url: server }) });
  if (!read.success) throw new InvalidInputError(`--model: ${read.error.issues[0]?.message}`);
  for (const file of [read.data.script, read.data.recording])
    if (file !== undefined) requireFile(file, '--model');
  await checkModel(read.data, '--model', { max_cost_usd: null }, environment);
  return read.data;
}

interface Surroundings {
  terminal: Terminal;
  environment: NodeJS.ProcessEnv;
}

async function playerOf(
  part: keyof typeof PARTS,
  row: string,
  options: PlayOptions,
  { terminal, environment }: Surroundings,
): Promise<ModelPlayer> {
  const lm = await otherModel(part, options, environment);
  const { model } = await createLanguageModel(lm, { environment });
  return { model, lm, row, terminal };
}

/** @param player plays the other part; null if nobody does */
function playersOf(
  part: keyof typeof PARTS,
  { row, registry }: LoadedRow,
  player: ModelPlayer | null,
  terminal: Terminal,
): Players {
  // A user sees no instructions.
  const transcript = new MessageDisplay(terminal, part === 'user' ? ['tool', 'system'] : ['tool']);
  const called: Players['called'] = (call, outcome, messages) => transcript.called(call, outcome, messages);
  const nobody = () => Promise.reject(new Error('nobody plays this part'));
  const allowed = row.tools_allowed;
  if (part === 'user') {
    const agent = player === null ? nobody : modelAsAgent(player, registry.toToolDefinitions(allowed));
    return { agent, user: personAsUser(terminal, transcript), called };
  }
  const user = player === null ? nobody : modelAsUser(player, row.sim_user_prompt ?? '', DEFAULT_STOP_TOKEN);
  return { agent: personAsAgent(terminal, transcript, { registry, allowed }), user, called };
}

/** Formats the ending and the judgement. */
export function playedText({ outcome, reward }: PlayedRow): string {
  const { score, reason, metrics } = reward;
  const ending = outcome === null ? 'left' : outcome.ending.replaceAll('_', ' ');
  const lines = Object.entries(metrics).map(
    ([name, metric]) => `  ${name}: ${metric.score}${metric.reason === '' ? '' : ` (${metric.reason})`}`,
  );
  return [`Ended: ${ending}`, `Reward: ${score}${reason === '' ? '' : ` (${reason})`}`, ...lines].join('\n');
}

/** Plays a row with a person in one part and a model in the other. @throws InvalidInputError */
export async function playBundle(
  bundle: Bundle,
  id: string,
  options: PlayOptions,
  { terminal, environment }: Surroundings,
): Promise<PlayedRow> {
  const part = options.as;
  const loaded = bundleRow(bundle, id);
  const { row } = loaded;
  const hasUser = part === 'user' || row.sim_user_prompt !== null;
  const player = hasUser ? await playerOf(part, row.id, options, { terminal, environment }) : null;
  if (part === 'user') {
    terminal.say(`${userHelp(DEFAULT_STOP_TOKEN)}\n${row.sim_user_prompt ?? ''}`.trimEnd());
  }
  const players = playersOf(part, loaded, player, terminal);
  return playRow(loaded, bundle.reward, players, { hasUser, stopToken: DEFAULT_STOP_TOKEN });
}

/** Plays a row at standard input and output, and prints the result. */
export async function playInTerminal(bundle: Bundle, id: string, options: PlayOptions): Promise<void> {
  const terminal = standardTerminal();
  try {
    const played = await playBundle(bundle, id, options, { terminal, environment: process.env });
    terminal.say(playedText(played));
  } finally {
    terminal.close();
  }
}

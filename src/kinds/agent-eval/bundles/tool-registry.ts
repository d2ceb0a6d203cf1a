import { z } from 'zod';
import { describeIssues } from '../../../config/describe-issues.js';
import type { Database } from '../../../contracts/database.js';
import { isMapping, type JsonObject, parseExactJson } from '../../../contracts/json.js';
import type { ToolDefinition } from '../../../contracts/language-model.js';
import type { ToolOutcome } from './contracts.js';
import {
  type AnthropicTool,
  anthropicTools,
  type GeminiTool,
  geminiTools,
  type OpenAITool,
  openAITools,
} from './provider-tools.js';
import { silentChanges, withTypes } from './schema-walk.js';
import { failed, toolOutcome } from './tool-outcome.js';

/** Context that a tool gets in addition to its arguments. */
export interface ToolContext {
  /** The rollout's database. Changes by a call that fails are discarded. */
  db: Database;
  /** The row's present time, ISO 8601, as SQL sees it. The machine's clock would differ in a repeated call. */
  now: string;
  /** Signal that is aborted when the call is cancelled or times out. */
  signal?: AbortSignal;
}

export interface ToolOptions<Parameters extends z.ZodObject> {
  /** Name of the tool, if it is not the first argument. Default: the function's own name. */
  name?: string;
  /** Text for the model: what the tool does and when to use it. */
  description: string;
  /**
   * Schema of the arguments. A field that is not listed is refused, also within others, unless its object is made with
   * `z.looseObject`.
   */
  parameters: Parameters;
  /** True if the tool only reads: statements that write are refused, and its calls leave the database unchanged. */
  readOnly?: boolean;
}

export type ToolFunction<Parameters extends z.ZodObject> = (
  toolArguments: z.output<Parameters>,
  context: ToolContext,
) => unknown;

/** A registered tool. */
export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
  readOnly: boolean;
}

interface RegisteredTool extends Tool {
  schema: z.ZodObject;
  run: ToolFunction<z.ZodObject>;
}

export interface ToolCallOptions {
  /** Names of the tools that may be called; null for all. */
  allowed?: readonly string[] | null;
  /** Time limit of a call in milliseconds; default 60,000. */
  timeoutMs?: number;
  /** The row that the call is made for, if any. */
  row?: unknown;
}

const MARK = Symbol.for('reprise.tool-registry');
/** Tool names that all three providers accept: OpenAI allows no dots, Gemini requires a letter or `_` first. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;
const CALL_MS = 60_000;

/**
 * Returns the schema with unknown fields refused, unless it defines how to treat these: a misspelt optional argument
 * would otherwise be dropped silently.
 * @throws TypeError if it is no object schema.
 */
function strictParameters(parameters: z.ZodObject, place: string): z.ZodObject {
  const definition = (parameters as Partial<z.ZodObject> | undefined)?._zod?.def;
  if (definition?.type !== 'object' || typeof parameters.strict !== 'function') {
    throw new TypeError(
      `${place}: parameters must be a z.object({…}) of zod 4; 'reprise/bundle' exports such a z`,
    );
  }
  return definition.catchall === undefined ? parameters.strict() : parameters;
}

/** Returns the JSON Schema of arguments as a model writes them. @throws TypeError for types that JSON lacks. */
function toolParameters(schema: z.ZodObject, place: string): JsonObject {
  try {
    const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
    return rest as JsonObject;
  } catch (error) {
    throw new TypeError(`${place}: parameters cannot be told to a model: ${(error as Error).message}`);
  }
}

/** Parses the arguments of a call, or returns a sentence for the model that says what is wrong with each field. */
async function readArguments(
  text: string,
  schema: z.ZodObject,
  jsonSchema: JsonObject,
): Promise<{ value: Record<string, unknown> } | { fault: string }> {
  let input: unknown;
  try {
    // Models write an empty text if a tool has no parameters.
    input = text.trim() === '' ? {} : withTypes([schema], parseExactJson(text));
  } catch (error) {
    return { fault: `the arguments are no JSON: ${(error as Error).message}` };
  }
  input ??= {};
  if (!isMapping(input)) {
    return { fault: 'the arguments must be one JSON object, such as {"id": 7}' };
  }
  const read = await schema.safeParseAsync(input);
  const silent = silentChanges([schema], input);
  if (read.success && silent.length === 0) return { value: read.data };
  const error = new z.ZodError([...(read.error?.issues ?? []), ...silent]);
  const faults = describeIssues(error, input, jsonSchema).map(({ field, message }) =>
    field === '' ? message : `${field}: ${message}`,
  );
  return { fault: `the arguments are not right: ${[...new Set(faults)].join('; ')}` };
}

/** Tools of a bundle. One module creates one registry and exports it. */
export class ToolRegistry {
  readonly [MARK] = true;
  private readonly byName = new Map<string, RegisteredTool>();

  constructor(readonly name: string) {
    if (typeof name !== 'string' || name.trim() === '') {
      throw new TypeError("a registry needs a name: new ToolRegistry('flight_tools')");
    }
  }

  /**
   * Registers a tool and returns its function, which can still be called directly. The name is the first argument, the
   * option `name`, or the name of the function.
   * @throws TypeError that names the tool and what is wrong with it.
   */
  tool<Parameters extends z.ZodObject>(
    options: ToolOptions<Parameters>,
    run: ToolFunction<Parameters>,
  ): ToolFunction<Parameters>;
  tool<Parameters extends z.ZodObject>(
    name: string,
    options: ToolOptions<Parameters>,
    run: ToolFunction<Parameters>,
  ): ToolFunction<Parameters>;
  tool<Parameters extends z.ZodObject>(
    ...input:
      | [options: ToolOptions<Parameters>, run: ToolFunction<Parameters>]
      | [name: string, options: ToolOptions<Parameters>, run: ToolFunction<Parameters>]
  ): ToolFunction<Parameters> {
    const [first, options, run] = input.length === 3 ? input : [undefined, ...input];
    if (typeof run !== 'function' || typeof options !== 'object' || options === null) {
      throw new TypeError(`${this.name}: a tool is registered with tool(name, options, function)`);
    }
    const name = first ?? options.name ?? run.name;
    if (!NAME.test(name)) {
      throw new TypeError(
        name === ''
          ? `${this.name}: a tool has no name: tool('search_flights', {…}, …), or name the function`
          : `${this.name}: '${name}' is no name for a tool: letters, digits, _ and -, at most 63, a letter or _ first`,
      );
    }
    if (this.byName.has(name)) throw new TypeError(`${this.name}: there are two tools named ${name}`);
    const place = `${this.name}.${name}`;
    if (typeof options.description !== 'string' || options.description.trim() === '') {
      throw new TypeError(`${place}: description is missing; the model chooses tools by it`);
    }
    const schema = strictParameters(options.parameters, place);
    this.byName.set(name, {
      name,
      description: options.description,
      parameters: toolParameters(schema, place),
      readOnly: options.readOnly ?? false,
      schema,
      run: run as unknown as ToolFunction<z.ZodObject>,
    });
    return run;
  }

  /** The tools in the order of their registration. */
  get tools(): readonly Tool[] {
    return [...this.byName.values()];
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** Reports whether a call of this name cannot change the database. */
  isReadOnly(name: string): boolean {
    return this.byName.get(name)?.readOnly ?? true;
  }

  /** Returns the tools in the format of Reprise's language models. @param allowed names; null for all */
  toToolDefinitions(allowed: readonly string[] | null = null): ToolDefinition[] {
    return this.tools
      .filter(({ name }) => allowed === null || allowed.includes(name))
      .map(({ name, description, parameters }) => ({ name, description, parameters }));
  }

  /** Returns the tools in the format of OpenAI's chat completions, and of every server with that protocol. */
  toOpenAITools(allowed: readonly string[] | null = null): OpenAITool[] {
    return openAITools(this.toToolDefinitions(allowed));
  }

  /** Returns the tools in the format of Gemini's `config.tools`. */
  toGeminiTools(allowed: readonly string[] | null = null): GeminiTool[] {
    return geminiTools(this.toToolDefinitions(allowed));
  }

  /** Returns the tools in the format of Anthropic's messages. */
  toAnthropicTools(allowed: readonly string[] | null = null): AnthropicTool[] {
    return anthropicTools(this.toToolDefinitions(allowed));
  }

  /**
   * Runs a call as a model wrote it. An error of the model or the tool is an outcome that the model can read and
   * correct; only an infrastructure failure rejects.
   * @param call `arguments` is JSON text
   * @throws InfrastructureError, or another error of the tool that `isInfrastructureError` recognises.
   */
  async call(
    call: { name: string; arguments: string },
    context: ToolContext,
    { allowed = null, timeoutMs = CALL_MS, row }: ToolCallOptions = {},
  ): Promise<ToolOutcome> {
    const tool = this.byName.get(call.name);
    const offered = this.tools.map(({ name }) => name).filter((name) => allowed?.includes(name) ?? true);
    const there = offered.length === 0 ? 'there are none' : `there are: ${offered.join(', ')}`;
    if (tool === undefined) return failed('unknown_tool', `there is no tool '${call.name}'; ${there}`);
    if (!offered.includes(call.name)) {
      return failed('not_allowed', `the tool '${call.name}' may not be used here; ${there}`);
    }
    const read = await readArguments(call.arguments, tool.schema, tool.parameters);
    if ('fault' in read) return failed('invalid_arguments', read.fault);
    return toolOutcome({ ...call, row }, timeoutMs, context.signal, async (signal) =>
      tool.run(read.value, { ...context, signal }),
    );
  }
}

/** Reports whether a value is a registry, even one of another copy of this module. */
export function isToolRegistry(value: unknown): value is ToolRegistry {
  return typeof value === 'object' && value !== null && MARK in value;
}

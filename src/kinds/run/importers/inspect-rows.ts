import { callKeyOf } from '../../../activities/call-key.js';
import type { Feedback } from '../../../contracts/environment.js';
import type { JsonObject } from '../../../contracts/json.js';
import type {
  CallRecord,
  ChatMessage,
  FinishReason,
  GenerateParameters,
  ToolDefinition,
  Usage,
} from '../../../contracts/language-model.js';
import type { EpisodeError, TaskRow } from '../../../contracts/results.js';
import { roundCost, sumCost, sumUsage } from '../../../statistics/result-row.js';
import {
  type InspectMessage,
  type InspectOutput,
  type InspectSample,
  type InspectUsage,
  modelEventSchema,
} from './inspect-log.js';

/** Row of a dataset, with the field names that a config reads by default. */
export interface DatasetRow {
  id: string;
  system?: string;
  /** Its text, or its messages where the input was a conversation that can be asked again. */
  question: string | { role: string; content: string }[];
  answer: string | string[];
  choices?: string[];
  metadata?: JsonObject;
}

/** Row of an imported run: one sample in one epoch, with the values of all its scorers. */
export interface ImportedRow extends Omit<TaskRow, 'feedback'> {
  feedback: Partial<Feedback> | null;
  /** Values as numbers, by scorer; of scorers with several values by `scorer.name`. Null: unscored. */
  scores: Record<string, number | null>;
}

/** Values of letters and words as Inspect's `value_to_float` reads them (scorer/_metric.py). */
const VALUES: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ C: 1, P: 0.5, I: 0, N: 0 }),
  ...Object.entries({ yes: 1, true: 1, no: 0, false: 0 }),
]);

/** Returns a score as a number; null where it is unscored, or no number. */
function numberOf(value: string | number | boolean | null): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return value;
  const known = VALUES.get(value) ?? VALUES.get(value.toLowerCase());
  if (known !== undefined) return known;
  return value.trim() === '' || !Number.isFinite(Number(value)) ? null : Number(value);
}

/** Returns the values of all scorers as numbers, in the order of the log. */
export function inspectScores({ scores }: Pick<InspectSample, 'scores'>): Record<string, number | null> {
  const flat = Object.entries(scores ?? {}).flatMap(([scorer, { value }]): [string, number | null][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([name, one]) => [`${scorer}.${name}`, numberOf(one)])
      : [[scorer, numberOf(value)]],
  );
  return Object.fromEntries(flat);
}

/** Puts texts back that the log holds once, below `attachments`. */
function withAttachments(text: string, attachments: Readonly<Record<string, string>>): string {
  return text.replace(/attachment:\/\/([\da-f]{32})/g, (whole, name) => attachments[name] ?? whole);
}

/** Writes JSON with such texts put back at any depth. */
function jsonWithAttachments(value: unknown, attachments: InspectSample['attachments']): string {
  return JSON.stringify(value, (_key, inner) =>
    typeof inner === 'string' ? withAttachments(inner, attachments) : inner,
  );
}

/** Returns what a message says; what it thought is no part of it. */
function textOf({ content }: Pick<InspectMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  const parts = content.filter(({ type }) => type !== 'reasoning');
  return parts.map(({ type, text }) => (type === 'text' ? (text ?? '') : `[${type}]`)).join('\n');
}

function reasoningOf({ content }: Pick<InspectMessage, 'content'>): string {
  if (typeof content === 'string') return '';
  return content.map(({ type, reasoning }) => (type === 'reasoning' ? (reasoning ?? '') : '')).join('');
}

function spoken(message: InspectMessage, attachments: InspectSample['attachments']): ChatMessage {
  const { role, tool_calls, tool_call_id } = message;
  return {
    role,
    content: withAttachments(textOf(message), attachments),
    ...(tool_calls?.length ? { tool_calls: toolCallsOf(message, attachments) } : {}),
    ...(tool_call_id == null ? {} : { tool_call_id }),
  };
}

function toolCallsOf({ tool_calls }: InspectMessage, attachments: InspectSample['attachments']) {
  return (tool_calls ?? []).map(({ id, function: name, arguments: given }) => ({
    id,
    name,
    arguments:
      typeof given === 'string'
        ? withAttachments(given, attachments)
        : jsonWithAttachments(given ?? {}, attachments),
  }));
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
};

function finishReasonOf({ choices }: InspectOutput): FinishReason {
  return FINISH_REASONS[choices[0]?.stop_reason ?? ''] ?? 'unknown';
}

/** Returns a time as rows have it, in UTC; an empty text where it is not known. */
function timeOf(text: string | null | undefined): string {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

/**
 * Returns the tokens of one usage. Inspect counts cached input apart, and reasoning within the output; older versions did
 * not for some providers, and the total tells.
 */
function tokensOf(usage: InspectUsage): { input: number; output: number; reasoning: number } {
  const { input_tokens: sent, output_tokens: said, total_tokens: total } = usage;
  const reasoning = usage.reasoning_tokens ?? 0;
  const all = sent + (usage.input_tokens_cache_read ?? 0) + (usage.input_tokens_cache_write ?? 0);
  const ways = [all, sent].flatMap((input) => [said, said + reasoning].map((output) => ({ input, output })));
  const way = ways.find(({ input, output }) => input + output === total) ?? { input: all, output: said };
  return { ...way, reasoning };
}

function usageOf(usages: readonly InspectUsage[]): Usage {
  const all = usages.map(tokensOf);
  const sum = (of: keyof (typeof all)[number]) => all.reduce((total, one) => total + one[of], 0);
  const reasoning = sum('reasoning');
  return {
    input_tokens: sum('input'),
    output_tokens: sum('output'),
    ...(reasoning === 0 ? {} : { reasoning_tokens: reasoning }),
  };
}

/** Returns the sum of the costs in US dollars; null unless each is known. */
function costOf(usages: readonly InspectUsage[]): number | null {
  const costs = usages.map(({ total_cost }) => total_cost ?? null);
  if (costs.length === 0 || costs.includes(null)) return null;
  return roundCost(costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0));
}

function errorOf(sample: InspectSample, score: string | null, reward: number | null): EpisodeError | null {
  const { error, scores } = sample;
  if (error != null) {
    return { type: /^\w+(?=\()/.exec(error.message)?.[0] ?? 'SampleError', message: error.message };
  }
  if (reward !== null) return null;
  const scorer = score === null ? undefined : scores?.[score.split('.')[0] as string];
  const why = scorer?.explanation ? `: ${scorer.explanation}` : '';
  return {
    type: 'Unscored',
    message: score === null ? 'no scorer has judged it' : `${score} has no value${why}`,
  };
}

/** Returns the text of a sample's input; a conversation with the speakers named. */
function inputOf({ input, attachments }: InspectSample): { system?: string; question: string } {
  if (typeof input === 'string') return { question: withAttachments(input, attachments) };
  const said = input.map((message) => spoken(message, attachments));
  const system = said.filter(({ role }) => role === 'system').map(({ content }) => content);
  const others = said.filter(({ role }) => role !== 'system');
  const lines = others.map(({ role, content }) => (others.length === 1 ? content : `${role}: ${content}`));
  return { ...(system.length === 0 ? {} : { system: system.join('\n\n') }), question: lines.join('\n\n') };
}

/** Returns the messages of an input that a config asks as a conversation; null: it is a single text, or none of those. */
function conversationOf({ input, attachments }: InspectSample) {
  if (typeof input === 'string' || input.length < 2 || input.at(-1)?.role !== 'user') return null;
  const said = input.map((message) => spoken(message, attachments));
  const isPlain = said.every(({ role, tool_calls }) => role !== 'tool' && tool_calls === undefined);
  return isPlain ? said.map(({ role, content }) => ({ role, content })) : null;
}

export function datasetRow(sample: InspectSample): DatasetRow {
  const { id, target, choices, metadata } = sample;
  const question = conversationOf(sample);
  return {
    id,
    ...(question === null ? inputOf(sample) : { question }),
    answer: Array.isArray(target) && target.length === 1 ? (target[0] as string) : target,
    ...(choices?.length ? { choices } : {}),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

/**
 * Converts a sample to a row of `results.jsonl`. Epochs count from 1, trials from 0.
 * @param calls its rows of `calls.jsonl`
 * @param score the name of {@link inspectScores} whose value is the reward; null: there is none
 */
export function importedRow(
  sample: InspectSample,
  score: string | null,
  calls: readonly CallRecord[],
): ImportedRow {
  const { id, epoch, target, choices, metadata, output, model_usage, limit } = sample;
  const [choice] = output.choices;
  const scores = inspectScores(sample);
  const value = score === null ? null : (scores[score] ?? null);
  const error = errorOf(sample, score, value);
  const reward = error === null ? value : null;
  const targets = [target].flat();
  const judged = score === null ? undefined : sample.scores?.[score.split('.')[0] as string];
  const acts = calls.filter(({ purpose }) => purpose === 'act');
  // The totals of a sample include what its scorers have asked.
  const totals = acts.length === 0 ? Object.values(model_usage) : null;
  return {
    id,
    trial: epoch - 1,
    question: inputOf(sample).question,
    target: targets[0] ?? null,
    ...(targets.length > 1 ? { targets } : {}),
    ...(choices?.length ? { choices } : {}),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    action: choice === undefined ? null : (output.completion ?? textOf(choice.message)),
    extracted: judged?.answer ?? null,
    feedback:
      reward === null
        ? null
        : { correct: reward >= 1, target: targets.join(', '), message: judged?.explanation ?? '' },
    reward,
    scores,
    error,
    ...(limit == null ? {} : { truncated: true }),
    steps: choice === undefined ? 0 : 1,
    finish_reason: choice === undefined ? null : finishReasonOf(output),
    lm_calls: acts.length,
    usage: totals === null ? sumUsage(acts) : usageOf(totals),
    cost_usd: totals === null ? sumCost(acts) : costOf(totals),
    // Older logs have no time of a sample.
    started_at: timeOf(sample.started_at ?? sample.events[0]?.timestamp),
    seconds: sample.total_time ?? 0,
  };
}

/** Ids of the spans within which scorers work. */
function scoringSpans(events: InspectSample['events']): Set<string> {
  const found = new Set<string>();
  for (const event of events) {
    const { event: kind, id, parent_id, type } = event;
    if (kind !== 'span_begin') continue;
    if (/^scorers?$/.test(String(type)) || found.has(String(parent_id))) found.add(String(id));
  }
  return found;
}

/** Converts a sample's answered calls of models to rows of `calls.jsonl`; those of its scorers are judges'. */
export function importedCalls(sample: InspectSample): CallRecord[] {
  const { id, epoch, events, attachments } = sample;
  const pool = sample.events_data?.messages ?? [];
  const scoring = scoringSpans(events);
  const ordinals = { act: 0, judge: 0 };
  // Logs of before May 2025 have steps in the place of spans.
  let scorers = 0;
  return events.flatMap((event) => {
    if (event.event === 'step' && event.type === 'scorer') scorers += event.action === 'begin' ? 1 : -1;
    if (event.event !== 'model') return [];
    const call = modelEventSchema.parse(event);
    const { input_refs, output, config, cache, retries } = call;
    const [choice] = output.choices;
    if (call.pending || choice === undefined) return [];
    const input = input_refs?.flatMap(([start, end]) => pool.slice(start, end)) ?? call.input;
    const messages = input.map((message) => spoken(message, attachments));
    const purpose = scorers > 0 || scoring.has(call.span_id ?? '') ? 'judge' : 'act';
    const parameters: GenerateParameters = {
      ...(config.temperature == null ? {} : { temperature: config.temperature }),
      ...(config.max_tokens == null ? {} : { max_output_tokens: config.max_tokens }),
    };
    const given = JSON.parse(jsonWithAttachments(call.tools, attachments)) as typeof call.tools;
    const tools = given.map(
      ({ name, description, parameters: schema }): ToolDefinition => ({
        name,
        ...(description ? { description } : {}),
        parameters: (schema ?? {}) as ToolDefinition['parameters'],
      }),
    );
    const identity = { sample_id: id, trial: epoch - 1, purpose, ordinal: ordinals[purpose]++ } as const;
    const request = { messages, parameters, call: identity, ...(tools.length > 0 ? { tools } : {}) };
    const reasoning = reasoningOf(choice.message);
    const isCached = cache === 'read';
    const seconds = call.working_time ?? output.time ?? 0;
    const record: CallRecord = {
      ...identity,
      key: callKeyOf(call.model, request),
      model: call.model,
      text: withAttachments(textOf(choice.message), attachments),
      ...(reasoning === '' ? {} : { reasoning: withAttachments(reasoning, attachments) }),
      ...(choice.message.tool_calls?.length ? { tool_calls: toolCallsOf(choice.message, attachments) } : {}),
      finish_reason: finishReasonOf(output),
      ...(output.usage == null ? {} : { usage: usageOf([output.usage]) }),
      cost_usd: isCached ? 0 : output.usage == null ? null : costOf([output.usage]),
      latency_ms: Math.round(seconds * 1000),
      messages,
      ...(tools.length > 0 ? { tools } : {}),
      parameters,
      attempts: (retries ?? 0) + (isCached ? 0 : 1),
      repeated: 0,
      ...(isCached ? { cached: true } : {}),
      at: timeOf(call.completed ?? call.timestamp),
    };
    return [record];
  });
}

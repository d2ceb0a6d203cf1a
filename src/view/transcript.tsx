import type { ComponentChildren } from 'preact';
import type { CallRecord, ChatMessage, ToolCall } from '../contracts/language-model.js';
import { Chart } from '../reports/chart.js';
import { Code } from '../reports/code.js';
import { Count, Duration, Figure, Moment } from '../reports/figures.js';
import { barX } from '../reports/libraries.js';
import { Scroll } from '../reports/table.js';
import { dollarsText } from '../statistics/figure-text.js';

/** Maximum characters of a message that is shown at once; the rest is in its file. */
const LONGEST_MESSAGE = 200_000;
/** Lines from which a text is folded. */
const LONG_TEXT = 4000;
/** Calls from which the timeline is left out. */
const MAX_TIMELINE = 400;

const ROLES = { system: 'System', user: 'User', assistant: 'Model', tool: 'Tool' };

/** A call with the messages that no earlier call of its purpose had. */
interface Turn {
  call: CallRecord;
  number: number;
  fresh: ChatMessage[];
}

const isSameMessage = (left: ChatMessage, right: ChatMessage | undefined) =>
  right !== undefined &&
  left.role === right.role &&
  left.content === right.content &&
  left.images?.length === right.images?.length &&
  left.tool_call_id === right.tool_call_id;

/** Finds what each call was asked beyond the calls before it. */
function turnsOf(calls: readonly CallRecord[]): Turn[] {
  const before = new Map<string, ChatMessage[]>();
  return calls.map((call, index) => {
    const { purpose, messages = [], text, tool_calls } = call;
    const known = before.get(purpose) ?? [];
    let common = 0;
    while (common < known.length && isSameMessage(known[common] as ChatMessage, messages[common]))
      common += 1;
    before.set(purpose, [
      ...messages,
      { role: 'assistant', content: text, ...(tool_calls === undefined ? {} : { tool_calls }) },
    ]);
    return { call, number: index + 1, fresh: messages.slice(common) };
  });
}

/** Returns the anchor of a call. */
const callAnchor = (number: number) => `call-${number}`;

/** Mark before and after a block of code, as Markdown has it. */
const FENCE = /^```/m;

const FENCE_LANGUAGES: Readonly<Record<string, 'python' | 'json' | 'sql' | 'typescript' | 'yaml'>> = {
  python: 'python',
  py: 'python',
  json: 'json',
  sql: 'sql',
  typescript: 'typescript',
  ts: 'typescript',
  javascript: 'typescript',
  js: 'typescript',
  yaml: 'yaml',
};

/** A text with its blocks of code. */
function Written({ text }: { text: string }) {
  const parts = text.split(FENCE);
  return (
    <>
      {parts.map((part, index) => {
        const end = part.indexOf('\n');
        const name = part.slice(0, end).trim().toLowerCase();
        // A block that nothing closes is a text.
        if (index % 2 === 1 && index < parts.length - 1 && end >= 0)
          return (
            <Code
              key={index}
              text={part.slice(end + 1)}
              label={`Code ${(index + 1) / 2}`}
              language={Object.hasOwn(FENCE_LANGUAGES, name) ? FENCE_LANGUAGES[name] : undefined}
            />
          );
        const shown = index % 2 === 1 ? `\`\`\`${part}` : part;
        return shown.trim() === '' && parts.length > 1 ? null : (
          <div class="text" key={index}>
            {parts.length === 1 ? shown : shown.trim()}
          </div>
        );
      })}
    </>
  );
}

/** A text; one that is long is folded. */
function Text({ text }: { text: string }) {
  const shown = text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
  const note =
    text.length > LONGEST_MESSAGE ? (
      <p class="note">
        The first <Count value={LONGEST_MESSAGE} /> of <Count value={text.length} /> characters.
      </p>
    ) : null;
  if (text.length <= LONG_TEXT) return <Written text={shown} />;
  return (
    <details>
      <summary>
        {text.slice(0, 200).replace(/[\ud800-\udbff]$/, '')}… (<Count value={text.length} /> characters)
      </summary>
      <Written text={shown} />
      {note}
    </details>
  );
}

/** JSON in lines where the text is JSON; else the text. */
function Value({ text, label }: { text: string; label: string }) {
  const parsed = jsonIn(text);
  return parsed === null ? <Text text={text} /> : <Code text={parsed} label={label} language="json" />;
}

function jsonIn(text: string): string | null {
  if (text.length > LONGEST_MESSAGE || !/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}

const ToolCallView = ({ call, result }: { call: ToolCall; result: string | undefined }) => (
  <div class="tool">
    <h4>
      <code>{call.name}</code>
    </h4>
    <Value text={call.arguments} label={`Arguments of ${call.name}`} />
    {result !== undefined && (
      <>
        <h5>Result</h5>
        <Value text={result} label={`Result of ${call.name}`} />
      </>
    )}
  </div>
);

function Message({ role, children, kind }: { role: string; children: ComponentChildren; kind: string }) {
  return (
    <div class={`message ${kind}`}>
      <h3>{role}</h3>
      {children}
    </div>
  );
}

/** Address of an image by its key. */
type ImageAddress = (key: string) => string;

/** What is asked at first is folded where it is long, and instructions always. */
function Asked({ message, imageAt }: { message: ChatMessage; imageAt: ImageAddress }) {
  const { role, content, images = [] } = message;
  if (role !== 'system')
    return (
      <Message role={ROLES[role]} kind={role}>
        {images.map(({ key }, index) => (
          <img
            key={key}
            src={imageAt(key)}
            alt={`Shown with the question, ${index + 1} of ${images.length}`}
            loading="lazy"
          />
        ))}
        <Text text={content} />
      </Message>
    );
  return (
    <details class="message system">
      <summary>
        <h3>System prompt</h3> <Count value={content.length} /> characters
      </summary>
      <div class="text">{content}</div>
    </details>
  );
}

/** Tokens, cost and time of a call. */
function CallFacts({ call }: { call: CallRecord }) {
  const {
    usage,
    cost_usd,
    latency_ms,
    model,
    finish_reason,
    cached,
    purpose,
    role = purpose,
    repeated,
    adapted = [],
  } = call;
  return (
    <p class="call">
      {role} · <code>{model}</code>
      {usage !== undefined && (
        <>
          {' · '}
          <Count value={usage.input_tokens} /> tokens in, <Count value={usage.output_tokens} /> out
          {usage.reasoning_tokens !== undefined && ` (${usage.reasoning_tokens} reasoning)`}
        </>
      )}
      {cost_usd != null && [' · ', <Figure value={cost_usd} shown={dollarsText(cost_usd)} />]}
      {latency_ms != null && [' · ', <Duration seconds={latency_ms / 1000} />]}
      {' · '}
      <Moment iso={call.at} />
      {finish_reason === 'length' && [' · ', <span class="status error">cut off</span>]}
      {cached === true && ' · from the cache'}
      {(repeated ?? 0) > 0 && ` · repeated ${repeated} times after a crash`}
      {adapted.map((sentence) => ` · ${sentence}`)}
    </p>
  );
}

/** Conversation of a unit, turn by turn: what is new in each call, the thoughts folded, tool calls with their results. */
export function Transcript({ calls, imageAt }: { calls: readonly CallRecord[]; imageAt: ImageAddress }) {
  const turns = turnsOf(calls);
  const results = new Map<string, string>();
  for (const { fresh } of turns)
    for (const { role, tool_call_id, content } of fresh)
      if (role === 'tool' && tool_call_id !== undefined) results.set(tool_call_id, content);
  const made = new Set(calls.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
  return (
    <>
      <ToolList turns={turns} />
      <ol class="turns">
        {turns.map(({ call, number, fresh }) => (
          <li key={number} id={callAnchor(number)}>
            {isPersona(call) ? (
              <details class="message system">
                <summary>
                  <h3>What the simulated user was told</h3>
                </summary>
                {fresh.map((message, index) => (
                  <Asked key={index} message={message} imageAt={imageAt} />
                ))}
              </details>
            ) : (
              fresh
                .filter((message) => !isShown(message, made, turns, number))
                .map((message, index) => <Asked key={index} message={message} imageAt={imageAt} />)
            )}
            <Message
              role={call.purpose === 'user' ? 'User' : ROLES.assistant}
              kind={call.purpose === 'user' ? 'user' : 'assistant'}
            >
              {call.reasoning !== undefined && (
                <details class="thoughts">
                  <summary>
                    Thoughts (<Count value={call.reasoning.length} /> characters)
                  </summary>
                  <div class="text">{call.reasoning}</div>
                </details>
              )}
              {call.text !== '' && <Text text={call.text} />}
              {call.text === '' && (call.tool_calls ?? []).length === 0 && (
                <p class="note">The reply is empty.</p>
              )}
              {(call.tool_calls ?? []).map((tool) => (
                <ToolCallView key={tool.id} call={tool} result={results.get(tool.id)} />
              ))}
              <CallFacts call={call} />
            </Message>
          </li>
        ))}
      </ol>
    </>
  );
}

/** A simulated user is told its part, and hears the conversation with the roles exchanged. */
const isPersona = ({ purpose }: CallRecord) => purpose === 'user';

/** A message that stands elsewhere: a result beside its tool call, and what the simulated user said before. */
function isShown(
  { role, content, tool_call_id }: ChatMessage,
  made: ReadonlySet<string>,
  turns: readonly Turn[],
  number: number,
): boolean {
  if (role === 'tool') return tool_call_id !== undefined && made.has(tool_call_id);
  const said = turns[number - 2]?.call;
  return role === 'user' && said?.purpose === 'user' && said.text.startsWith(content.trim());
}

/** Links to the tool calls of a conversation, in their order. */
function ToolList({ turns }: { turns: readonly Turn[] }) {
  const tools = turns.flatMap(({ call, number }) =>
    (call.tool_calls ?? []).map(({ id, name }) => ({ id, name, number })),
  );
  if (tools.length === 0) return null;
  return (
    <nav class="tools" aria-label="Tool calls">
      Tool calls:{' '}
      {tools.map(({ id, name, number }, index) => [
        index > 0 && ' → ',
        <a key={id} href={`#${callAnchor(number)}`}>
          {name}
        </a>,
      ])}
    </nav>
  );
}

/** Calls of a unit on a line of time. */
export function Timeline({ calls }: { calls: readonly CallRecord[] }) {
  if (calls.length < 2 || calls.length > MAX_TIMELINE) return null;
  const bars = calls.map(({ at, latency_ms, purpose, role = purpose, model }, index) => {
    const end = Date.parse(at) / 1000;
    return { role, model, number: index + 1, from: end - (latency_ms ?? 0) / 1000, to: end };
  });
  const zero = Math.min(...bars.map(({ from }) => from));
  const shifted = bars.map((bar) => ({ ...bar, from: bar.from - zero, to: bar.to - zero }));
  const roles = [...new Set(bars.map(({ role }) => role))];
  return (
    <figure class="chart">
      <Scroll label="Timeline of the calls">
        <Chart
          label="Timeline of the calls; each call below has its time"
          options={{
            width: 640,
            height: 26 * roles.length + 46,
            marginLeft: 70,
            marginBottom: 34,
            style: { fontSize: '12px' },
            x: { label: 'seconds since the first request', nice: true },
            y: { label: null, domain: roles, tickSize: 0 },
            marks: [
              barX(shifted, {
                x1: 'from',
                x2: 'to',
                y: 'role',
                fill: 'var(--link)',
                stroke: 'var(--paper)',
                inset: 3,
                href: ({ number }: { number: number }) => `#${callAnchor(number)}`,
                title: ({ number, from, to }: { number: number; from: number; to: number }) =>
                  `call ${number}: ${(to - from).toFixed(2)} s`,
              }),
            ],
          }}
        />
      </Scroll>
    </figure>
  );
}

/** Programs that were run, each with its output. */
export function Executions({ executions }: { executions: readonly Readonly<Record<string, unknown>>[] }) {
  return (
    <>
      {executions.map((execution, index) => {
        const result = (execution.result ?? execution) as Record<string, unknown>;
        const { type, example, iteration, score, message, code } = execution;
        const name =
          typeof example === 'string'
            ? `${String(type)} example ${example}, iteration ${String(iteration)}`
            : `program ${index + 1}`;
        const texts = [
          ['returned', result.output],
          ['printed', result.stdout],
          ['errors', result.stderr],
        ].filter(([, text]) => typeof text === 'string' && text !== '') as [string, string][];
        return (
          <details key={index} class="execution" open={executions.length <= 3}>
            <summary>
              <h3>{name}</h3>{' '}
              <span class={`status ${result.status === 'ok' ? 'success' : 'failure'}`}>
                {String(result.status)}
              </span>
              {typeof score === 'number' && ` score ${score}`}
            </summary>
            {typeof message === 'string' && message !== '' && <p>{message}</p>}
            {typeof code === 'string' && <Code text={code} label={`Code of ${name}`} language="python" />}
            {texts.map(([label, text]) => (
              <div key={label}>
                <h4>{label}</h4>
                <Code text={text} label={`${label} by ${name}`} />
              </div>
            ))}
          </details>
        );
      })}
    </>
  );
}

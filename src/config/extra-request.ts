import { isMapping } from '../contracts/json.js';
import { OPTION_ROWS } from './model-options.js';
import { type Api, apiOf } from './providers.js';
import { hasVariable, NOTHING_REPLACED } from './variables.js';

const MODEL = 'name the model in model';
const WRITTEN = 'Reprise writes it, from the messages and tools of a call';
const ONE_REPLY = 'Reprise asks for one reply at a time, in one piece';

/** Fields of each API's request that no option is, and why they are not `extra_body`'s. */
const OWN: Readonly<Record<Api, Readonly<Record<string, string>>>> = {
  openai: {
    model: MODEL,
    messages: WRITTEN,
    tools: WRITTEN,
    n: ONE_REPLY,
    stream: ONE_REPLY,
    stream_options: ONE_REPLY,
  },
  anthropic: { model: MODEL, messages: WRITTEN, system: WRITTEN, tools: WRITTEN, stream: ONE_REPLY },
  gemini: {
    model: MODEL,
    contents: WRITTEN,
    systemInstruction: WRITTEN,
    tools: WRITTEN,
    'generationConfig.candidateCount': ONE_REPLY,
  },
  // What stands in `extra_body` is sent in `additionalModelRequestFields`.
  bedrock: {},
};

/** Headers that Reprise and its HTTP client set. */
const OWN_HEADERS =
  /^(?:content-(?:type|length)|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|host|idempotency-key|anthropic-version)$/i;
/** Form of a header's name (RFC 9110), and characters that its value may have. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Returns the fields of a provider's request that are Reprise's, with a reason. */
function ownFields(api: Api): [place: string, reason: string][] {
  const inside = api === 'gemini' ? 'generationConfig.' : '';
  const options = OPTION_ROWS.flatMap(([name, { wire }]) =>
    [wire[api] ?? []].flat().map((place): [string, string] => [`${inside}${place}`, `write it as ${name}`]),
  );
  return [...Object.entries(OWN[api]), ...options];
}

/** Gemini takes `topP` as `top_p` too. */
const plain = (name: string) => name.replaceAll('_', '').toLowerCase();

/**
 * Reports whether a body has a value where an own field stands, or something else than a mapping above it.
 * @param place such as `generationConfig.topP`
 */
function covers(body: unknown, [name = '', ...below]: readonly string[]): boolean {
  if (!isMapping(body)) return true;
  return Object.entries(body).some(
    ([key, value]) => plain(key) === plain(name) && (below.length === 0 || covers(value, below)),
  );
}

/** Returns what is wrong with the further fields of a request's body; null if they are none of Reprise's. */
function problemOfBody(provider: string, body: Readonly<Record<string, unknown>>): string | null {
  const api = apiOf(provider);
  if (api === undefined) return null;
  const taken = ownFields(api).find(([place]) => covers(body, place.split('.')));
  return taken === undefined ? null : `'${taken[0]}' is no further field: ${taken[1]}`;
}

function problemOfHeaders(headers: Readonly<Record<string, string>>): string | null {
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name))
      return `'${name}' is no name of a header: it has letters, digits and hyphens`;
    if (OWN_HEADERS.test(name)) return `'${name}' is set by Reprise; leave it out`;
    if (!HEADER_VALUE.test(value))
      return `the value of '${name}' has line ends, or characters outside of Latin-1`;
    if (hasVariable(value)) return `'${name}': ${NOTHING_REPLACED}`;
  }
  return null;
}

/** Returns what is wrong with what a model's requests carry beside Reprise's own. */
export function problemsOfExtras({
  provider,
  extra_body = {},
  extra_headers = {},
}: {
  provider: string;
  extra_body?: Readonly<Record<string, unknown>>;
  extra_headers?: Readonly<Record<string, string>>;
}): { path: string; problem: string }[] {
  const problems = {
    extra_body: problemOfBody(provider, extra_body),
    extra_headers: problemOfHeaders(extra_headers),
  };
  return Object.entries(problems).flatMap(([path, problem]) => (problem === null ? [] : [{ path, problem }]));
}

import { fieldPath } from './describe-issues.js';
import { InvalidInputError } from './errors.js';

/** Pattern of field names that hold credentials in any section. `max_tokens`, `stop_token` and the like are none. */
const SECRET_NAME =
  /^(?!stop_token$)(.*[_-])?(api[_-]?key|apikey|access[_-]?key(?:[_-]?id)?|secret(?:[_-]?key)?|password|passwd|(?:auth|access|bearer|hf|api)[_-]?token|token|credentials?|authorization)$/i;

/** Forms of well-known credentials: OpenAI and Anthropic, Google, Hugging Face, AWS, GitHub, a bearer header. */
const SECRET_VALUE =
  /^(?:sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|(?:AKIA|ASIA)[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{30,}|Bearer\s+\S{16,})$/;

/** Pattern of further names of URL parameters with credentials: a plain `key`, and the signature of a signed URL. */
const SECRET_PARAMETER = /^(?:.*[_-])?(?:key|sig|signature)$/i;

/** Pattern of further names of headers with credentials, such as `Ocp-Apim-Subscription-Key` and `Helicone-Auth`. */
const SECRET_HEADER = /^(?!.*(?:idempotency|cache)[_-]key$)(?:.*[_-])?(?:key|sig|signature|auth|cookie)$/i;
/** Forms of credentials in a header: with their scheme (RFC 9110), or a JSON Web Token. */
const SECRET_HEADER_VALUE = /^(?:(?:Basic|Bearer|Token)\s+\S+|eyJ[\w-]+\.[\w-]+\.[\w-]*)$/i;

/** Describes the credential in a URL; null if there is none. @param named checks the names of parameters as well */
function secretInAddress(text: string, named: boolean): string | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(text) || !URL.canParse(text)) return null;
  const { pathname, search, hash } = new URL(text);
  const parameters = [search, hash].flatMap((part) => [...new URLSearchParams(part.slice(1))]);
  const words = [...pathname.split('/'), ...parameters.flat()];
  if (words.some((word) => SECRET_VALUE.test(word))) return 'a part of this address looks like a credential';
  const isNamed = ([name, value]: [string, string]) =>
    value !== '' && (SECRET_NAME.test(name) || SECRET_PARAMETER.test(name));
  const parameter = named ? parameters.find(isNamed) : undefined;
  return parameter === undefined ? null : `the parameter '${parameter[0]}' of this address is a credential`;
}

function refuse(path: readonly PropertyKey[], what: string): never {
  const field = fieldPath(path);
  const variables = path.includes('extra_headers')
    ? 'OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY; a header of a gateway as "Name: value" in OPENAI_CUSTOM_HEADERS or ANTHROPIC_CUSTOM_HEADERS'
    : 'GEMINI_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY, HF_TOKEN, AWS_…';
  throw new InvalidInputError(
    `${field}: ${what}; a key or token is never written in a config. Put it in the worker's environment instead (${variables}) and remove the field`,
    field,
  );
}

/** Reports whether a header holds a credential. @param path of the header in a config */
function isSecretHeader(path: readonly PropertyKey[], value: string): boolean {
  if (path.at(-2) !== 'extra_headers') return false;
  return SECRET_HEADER.test(String(path.at(-1))) || SECRET_HEADER_VALUE.test(value.trim());
}

/**
 * Refuses a config that holds a credential, by field name or by the value's form. No secret may enter a workflow's
 * history or an artifact. Inline dataset rows are data, so only their values' forms are checked.
 */
export function refuseSecrets(value: unknown, path: readonly PropertyKey[] = []): void {
  const isRow = path[0] === 'dataset' && path[1] === 'items';
  if (typeof value === 'string') {
    if (SECRET_VALUE.test(value.trim())) refuse(path, 'this looks like a credential');
    if (isSecretHeader(path, value)) refuse(path, 'a header such as this holds a credential');
    if (/^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]+:[^/\s@]+@/i.test(value))
      refuse(path, 'this address holds a password');
    const what = secretInAddress(value.trim(), !isRow);
    if (what !== null) refuse(path, what);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = [...path, Array.isArray(value) ? Number(key) : key];
    if (
      !isRow &&
      !Array.isArray(value) &&
      SECRET_NAME.test(key) &&
      inner !== null &&
      typeof inner !== 'object'
    ) {
      refuse(innerPath, `'${key}' is the name of a credential`);
    }
    refuseSecrets(inner, innerPath);
  }
}

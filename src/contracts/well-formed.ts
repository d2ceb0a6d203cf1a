/*
 * Half of a surrogate pair is no character: UTF-8 cannot hold it, and Python, providers and readers of data sets refuse
 * a whole text that contains one. Models that sample bytes do produce them.
 */

const LONE_SURROGATE = /\p{Surrogate}/gu;
/** `JSON.stringify` writes half of a pair as an escape, and a whole pair unescaped. */
const MAY_BE_HALF = /\\u[dD][89a-fA-F]/;
/** One escape of JSON text. A pair is matched as one, so that a single match is half of a pair. */
const ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u([dD][89a-fA-F][\da-fA-F]{2})|\\[\s\S]/g;

/** Returns the text with U+FFFD in place of every half of a surrogate pair. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd');
}

/** Returns JSON text whose strings are well-formed, including escaped ones. */
export function wellFormedJson(text: string): string {
  return withoutHalves(wellFormed(text));
}

/** Serialises a value as JSON text whose strings are well-formed. @param space as for `JSON.stringify` */
export function toWellFormedJson(value: unknown, space?: number): string | undefined {
  const text = JSON.stringify(value, null, space) as string | undefined;
  return text === undefined ? undefined : withoutHalves(text);
}

/** Returns the value, or a copy of it, whose strings and field names are well-formed. */
export function wellFormedIn<Value>(value: Value): Value {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined || !MAY_BE_HALF.test(text) ? value : (JSON.parse(withoutHalves(text)) as Value);
}

function withoutHalves(json: string): string {
  if (!MAY_BE_HALF.test(json)) return json;
  return json.replace(ESCAPE, (written, half: string | undefined) =>
    half === undefined ? written : '\\ufffd',
  );
}

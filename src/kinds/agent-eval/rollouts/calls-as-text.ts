import type { CallRecord } from '../../../contracts/language-model.js';

/** Marks that models put around tool calls; a server that knows them takes them out. */
const MARKS =
  /<[/|｜]?(?:[\w-]{1,20}[:｜])?(?:[\w-]{0,20}tool[_▁]call|tool_use>|function_calls?>|invoke name=)|<\|python_tag\|>|<function=|\[\/?TOOL_CALLS?\]|\bto=functions\.|```tool_(?:code|call)\b/i;

/** Reports whether a text holds a tool call as models write them, which should have been parsed. */
export function isToolCall(text: string): boolean {
  if (MARKS.test(text)) return true;
  return (
    /"(?:name|tool|function|tool_name)"\s*:/.test(text) &&
    /"(?:arguments|parameters|args|tool_input)"\s*:\s*[{"]/.test(text)
  );
}

/** Creates the pattern of a call without marks, such as `find {"id": 1}`, `[find(id=1)]` or `Action: find`. */
function callOf(names: readonly string[]): RegExp {
  const name = `(?:(?:functions|tools|default_api)\\.)?(?:${names.join('|')})`;
  const forms = [
    // With values: what explains a tool only names its parameters.
    String.raw`(?:^[ \t*_>\x60-]{0,20}(?:\w{1,30} ?= ?|print\()?|\[)${name}(?:\.call)?\(\s*(?:\w+\s*[=:]|["'\d[{]|\)[\])\s;*_\x60]{0,20}$)`,
    String.raw`(?<![\w.-])${name}\s*(?:\x60{3}(?:json)?\s*)?\(?\{\s*["'}]`,
    String.raw`^[ \t*_]{0,20}(?:action|tool|function)(?: name)?[*_]*:[*_\x60 \t]*${name}[*_\x60 \t]*(?:[({[]|[\r\n]{1,4}[*_ \t]{0,20}(?:action )?(?:input|arguments|args|parameters)\b)`,
    String.raw`"(?:name|tool|function|tool_name|function_name|recipient_name)"\s*:\s*"${name}"`,
    String.raw`"action"\s*:\s*"${name}"\s*,\s*"action_input"`,
    String.raw`<${name}>\s*[<{]`,
  ];
  return new RegExp(forms.join('|'), 'im');
}

/**
 * Counts the replies that hold a call of an offered tool as text. A server without a parser for the model's tool calls
 * passes them on so, and nobody makes them.
 */
export function callsAsText(replies: readonly Pick<CallRecord, 'text' | 'tool_calls' | 'tools'>[]): number {
  const holdsCall = ({ text, tool_calls = [], tools = [] }: (typeof replies)[number]) => {
    if (tool_calls.length > 0) return false;
    const names = tools.map(({ name }) => name).filter((name) => text.includes(name));
    return names.length > 0 && (isToolCall(text) || callOf(names).test(text));
  };
  return replies.filter(holdsCall).length;
}

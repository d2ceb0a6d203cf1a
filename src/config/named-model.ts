/**
 * Returns the fields of a model's name. `scripted/agent.yaml` and `replay/calls.jsonl` name the file of the replies.
 */
export function namedModel(model: string): { model: string; script?: string; recording?: string } {
  const [, provider, path] = /^(scripted|replay)\/(.+\.(?:ya?ml|jsonl))$/.exec(model) ?? [];
  if (provider === undefined || path === undefined) return { model };
  const name = `${provider}/${path.split('/').at(-1)}`;
  return provider === 'scripted' ? { model: name, script: path } : { model: name, recording: path };
}

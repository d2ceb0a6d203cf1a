/**
 * A model by its name. `scripted/agent.yaml` and `replay/calls.jsonl` name the file that answers, as it is written.
 */
export function namedModel(model: string): { model: string; script?: string; recording?: string } {
  const [, provider, path] = /^(scripted|replay)\/(.+\.(?:ya?ml|jsonl))$/.exec(model) ?? [];
  if (provider === undefined || path === undefined) return { model };
  const name = `${provider}/${path.split('/').at(-1)}`;
  return provider === 'scripted' ? { model: name, script: path } : { model: name, recording: path };
}

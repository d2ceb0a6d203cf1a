import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { allWords, candidates } from '../../src/cli/completion.js';

let words: Awaited<ReturnType<typeof allWords>>;
beforeAll(async () => {
  words = await allWords();
});

/** What the last word of a line may be, a space before it. */
const offered = (line: string) => candidates(words, line.split(' ')).map(([word]) => word);

describe('what can stand next', () => {
  test.each([
    ['st', ['status', 'stop', 'stats']],
    ['bundle ', ['new', 'check', 'test', 'serve', 'play']],
    ['bundle check my-task --st', ['--strict']],
    ['schema j', ['judge']],
    ['generate ', ['game24', 'equation_balancer', 'number_guessing', 'arithmetic']],
    ['export my-run --format t', ['trajectories', 'trl']],
    ['export --format trl my-run --min', ['--min-reward']],
    ['grade --task-type ', ['numeric', 'mcq', 'exact']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['bundle play my-task row --as ', ['user', 'agent']],
  ])('%j', (line, expected) => {
    expect(offered(line).sort()).toEqual(expected.sort());
  });

  test.each(['run ', 'run experiment.yaml --name ', 'stats --seed ', 'unheard-of ', 'run bundle '])(
    'nothing where a file or a text is wanted: %j',
    (line) => {
      expect(offered(line)).toEqual([]);
    },
  );

  test('every option of a command, with what it says', () => {
    expect(candidates(words, ['run', '--de'])).toEqual([
      ['--detach', 'leave it to a worker in the background and return'],
    ]);
    expect(offered('-')).toEqual(['-V', '--version', '-h', '--help']);
  });
});

test('the words that the build has written are those of the commands', () => {
  expect(JSON.parse(readFileSync('dist/cli/words.json', 'utf8'))).toEqual(JSON.parse(JSON.stringify(words)));
});

/** A working folder with experiments, in which bash completes. */
function inBash(line: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-completion-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['my-run', 'my-second.run', '.cache', '$(touch ran)'])
    mkdirSync(join(folder, 'results', name), { recursive: true });
  writeFileSync(join(folder, 'results', 'my-file'), '');
  const script = `
    reprise() { '${process.execPath}' '${resolve('dist/cli/main.js')}' "$@"; }
    source <(reprise completion bash)
    complete -p reprise >&2
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _reprise
    printf '%s\\n' "\${COMPREPLY[@]}"
    ls
  `;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...line], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toBe('complete -o default -F _reprise reprise\n');
  return stdout.trimEnd().split('\n');
}

describe('in bash', () => {
  test.each<[string[], string[]]>([
    [['reprise', 'pau'], ['pause']],
    [
      ['reprise', 'retry', ''],
      ['my-run', 'my-second.run'],
    ],
    [['reprise', 'judge', 'my-s'], ['my-second.run']],
    [['reprise', 'export', 'my-run', '--format', 's'], ['sharegpt']],
    [['reprise', 'run', 'exp'], ['']],
  ])('%j', (line, expected) => {
    expect(inBash(line)).toEqual([...expected, 'results']);
  });
});

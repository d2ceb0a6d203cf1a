import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, describe, expect, test } from 'vitest';
import type { EvolveContext } from '../../../../src/kinds/evolve/activities/evolve-context.js';
import type { Accepted } from '../../../../src/kinds/evolve/activities/scaffold-checks.js';
import { createSandbox } from '../../../../src/sandboxes/create.js';
import { memoryStore } from '../../../activities/executor-support.js';
import { FROM_SCRATCH, scaffolderParts } from '../../../activities/scaffolder-support.js';
import { findPython, mustSkipPython } from '../../../support/python.js';

const skip = mustSkipPython(await findPython());
const MAIN = 'def process_input(s):\n    return s\n';

describe('a scaffold', async () => {
  const sandbox = await createSandbox('process', { environment: { PATH: process.env.PATH } });
  afterAll(() => sandbox.close());
  const { checks } = scaffolderParts({ sandbox: async () => sandbox });

  /** Returns what is wrong with a scaffold; null where it is accepted. */
  async function faultOf(files: Record<string, string>): Promise<string | null> {
    const config = { models: { executor: null }, sandbox: { type: 'process' } };
    const context = { store: memoryStore().store, config } as unknown as EvolveContext;
    const accept = (): Promise<Accepted> =>
      checks.accept(context, FROM_SCRATCH, files, '2026-01-31T00:00:00Z');
    const accepted: Accepted = await new MockActivityEnvironment().run(accept);
    return accepted.ok ? null : accepted.fault;
  }

  test.skipIf(skip).each<[string, string, Record<string, string>?]>([
    ['of the standard library', 'import random, xml.etree.ElementTree as ET\nfrom os.path import join\n'],
    ['that every program has loaded', 'from __future__ import annotations\nimport __main__, builtins\n'],
    ['that is provided', 'from llm_executor import execute_llm\n'],
    ['of its own', 'from helpers import VALUE\n', { 'helpers.py': 'import scaffold\nVALUE = 1\n' }],
    ['of a folder of its own', 'from lib.config import VALUE\n', { 'lib/config.py': 'VALUE = 1\n' }],
    ['that it can do without', 'try:\n    import helpers\nexcept ImportError:\n    helpers = None\n'],
    ['that it writes first', 'def run():\n    open("code.py", "w").close()\n    import candidate\n'],
    ['that lies elsewhere', 'import sys\nsys.path.insert(0, "src")\nimport parts\n', { 'src/parts.py': '' }],
    ['that a text mentions', 'TEXT = """\nimport helpers\n"""\n'],
    ['that no program of it imports', '', { 'test_it.py': 'import pytest_of_another_place\n' }],
    ['in the place of a part of Python', '', { 'ast.py': 'raise SystemExit("is run")\n', '_x.py': '' }],
  ])('may import a module %s', async (_, source, more = {}) => {
    expect(await faultOf({ 'scaffold.py': source + MAIN, ...more })).toBeNull();
  });

  test.skipIf(skip)(
    'is refused where a module is missing that it imports, and where it does not compile',
    async () => {
      const missing = 'imports helpers, which is neither a file of it nor installed.';
      expect(await faultOf({ 'scaffold.py': `from helpers import parse\n${MAIN}` })).toBe(
        `The program does not compile: scaffold.py ${missing}`,
      );
      expect(await faultOf({ 'scaffold.py': `import json, helpers.parts as h\n${MAIN}` })).toContain(missing);
      const tools = { 'tools.py': 'from helpers import *\n' };
      expect(await faultOf({ 'scaffold.py': `import tools\n${MAIN}`, ...tools })).toContain(
        `tools.py ${missing}`,
      );
      for (const source of ['return 1', 'x = (', 'def f(:']) {
        expect(await faultOf({ 'scaffold.py': `${MAIN}${source}\n` })).toContain('SyntaxError');
        expect(await faultOf({ 'scaffold.py': MAIN, 'unused.py': `${source}\n` })).toContain('SyntaxError');
      }
    },
  );
});

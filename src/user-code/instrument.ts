import { type AnyNode, type Function as FunctionNode, type Node, type Program, parse } from 'acorn';

/** Imported functions, with their names in the file. */
const NAMES = {
  round: '__reprise_round',
  resumed: '__reprise_resumed',
};

const LOOPS = ['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement'];
const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const MODULE_SYNTAX = [
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportDefaultDeclaration',
  'ExportAllDeclaration',
];

interface Insertion {
  at: number;
  text: string;
}

/** Insertions before and after a node's children. */
interface Around {
  before: Insertion[];
  after: Insertion[];
}

function parsed(code: string): Program | null {
  const options = { ecmaVersion: 'latest', allowHashBang: true, allowReturnOutsideFunction: true } as const;
  for (const sourceType of ['module', 'script'] as const) {
    try {
      return parse(code, { ...options, sourceType });
    } catch {
      // The bundler reports the error.
    }
  }
  return null;
}

function isNode(value: unknown): value is Node {
  return typeof (value as Partial<Node> | null)?.type === 'string';
}

function childrenOf(node: Node): AnyNode[] {
  return Object.values(node).flat().filter(isNode) as AnyNode[];
}

/** Returns the position of a block's first statement after its directives. */
function afterDirectives(statements: readonly AnyNode[], start: number): number {
  const directives = statements.filter((statement) => 'directive' in statement && statement.directive);
  return directives.at(-1)?.end ?? start;
}

function around({ start, end }: Node, before: string, after: string): Around {
  return { before: [{ at: start, text: before }], after: [{ at: end, text: after }] };
}

function loop(node: Extract<AnyNode, { body: AnyNode | AnyNode[] }> & { body: AnyNode }): Around {
  const { body } = node;
  const isAwaited = node.type === 'ForOfStatement' && node.await;
  const count = isAwaited ? `${NAMES.resumed}();` : `${NAMES.round}();`;
  return body.type === 'BlockStatement'
    ? { before: [{ at: body.start + 1, text: count }], after: [] }
    : around(body, `{${count}`, '}');
}

function counted({ body }: FunctionNode): Around {
  if (body.type !== 'BlockStatement') return around(body, `(${NAMES.round}(),`, ')');
  const at = afterDirectives(body.body, body.start + 1);
  return { before: [{ at, text: `;${NAMES.round}();` }], after: [] };
}

/** Returns the insertions around a node and in it. */
function insertionsOf(node: AnyNode): Around | null {
  if (node.type === 'AwaitExpression') return around(node, `${NAMES.resumed}(`, ')');
  if (LOOPS.includes(node.type)) return loop(node as Parameters<typeof loop>[0]);
  return FUNCTIONS.includes(node.type) ? counted(node as FunctionNode) : null;
}

/** Collects insertions: those before children in the order of the nodes, those after them by their ends. */
function collect(node: AnyNode, found: Insertion[]): void {
  const { before, after } = insertionsOf(node) ?? { before: [], after: [] };
  found.push(...before);
  for (const child of childrenOf(node)) collect(child, found);
  found.push(...after);
}

/**
 * Instruments an agent's code for use in a workflow. It counts loop iterations, function calls and awaits, so that
 * endless code is stopped: at the same place in every replay, since no clock is used. Line numbers do not change.
 * @param code JavaScript
 * @param from the module that exports the instruments
 * @param isModule true for an ES module without imports and exports
 * @returns the code unchanged where it cannot be parsed
 */
export function instrumented(code: string, from: string, isModule = false): string {
  const program = parsed(code);
  if (program === null) return code;
  const names = (colon: string) =>
    `{ ${Object.entries(NAMES)
      .map(([name, local]) => `${name}${colon}${local}`)
      .join(', ')} }`;
  const imports = isModule || program.body.some(({ type }) => MODULE_SYNTAX.includes(type));
  const head = imports
    ? `;import ${names(' as ')} from ${JSON.stringify(from)};`
    : `;var ${names(': ')} = require(${JSON.stringify(from)});`;
  const begin = code.startsWith('#!') ? `${code}\n`.indexOf('\n') : 0;
  const insertions: Insertion[] = [{ at: afterDirectives(program.body, begin), text: head }];
  collect(program, insertions);
  // The stable sort keeps the order of the nodes at one position.
  insertions.sort((left, right) => left.at - right.at);
  let done = 0;
  const parts = insertions.map(({ at, text }) => {
    const part = code.slice(done, at) + text;
    done = at;
    return part;
  });
  return parts.join('') + code.slice(done);
}

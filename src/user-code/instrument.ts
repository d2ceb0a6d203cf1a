import { type AnyNode, type Function as FunctionNode, type Node, type Program, parse } from 'acorn';

/** What is imported, and the names that it has in the file. */
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

/** What stands before a node's children, and what stands after them. */
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
      // The bundler says what is wrong with it.
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

/** Where the statements of a block begin, after its directives. */
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

/** What is put around a node, and into it. */
function insertionsOf(node: AnyNode): Around | null {
  if (node.type === 'AwaitExpression') return around(node, `${NAMES.resumed}(`, ')');
  if (LOOPS.includes(node.type)) return loop(node as Parameters<typeof loop>[0]);
  return FUNCTIONS.includes(node.type) ? counted(node as FunctionNode) : null;
}

/** Those before a node's children in the order of the nodes, those after them in the order of their ends. */
function collect(node: AnyNode, found: Insertion[]): void {
  const { before, after } = insertionsOf(node) ?? { before: [], after: [] };
  found.push(...before);
  for (const child of childrenOf(node)) collect(child, found);
  found.push(...after);
}

/**
 * Puts into an agent's code what it cannot do without in a workflow. It counts the rounds of its loops, the calls of its functions
 * and what it awaits, so that one that would never come to an end is stopped: at the same place in every replay, since no
 * clock is asked. Lines stay what they are.
 * @param code JavaScript
 * @param from the module that has the instruments
 * @param isModule whether it is an ES module though it imports and exports nothing
 * @returns the code as it is where it cannot be parsed
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
  // Sorting is stable: at one place they stay in the order of the nodes.
  insertions.sort((left, right) => left.at - right.at);
  let done = 0;
  const parts = insertions.map(({ at, text }) => {
    const part = code.slice(done, at) + text;
    done = at;
    return part;
  });
  return parts.join('') + code.slice(done);
}

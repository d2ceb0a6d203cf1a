import { type AnyNode, type Function as FunctionNode, type Node, type Program, parse } from 'acorn';

/** Where the counting functions are imported from, and the names that they have in the file. */
const ROUND = '__reprise_round';
const RESUMED = '__reprise_resumed';

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

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

/** Where the statements of a block begin, after its directives. */
function afterDirectives(statements: readonly AnyNode[], start: number): number {
  const directives = statements.filter((statement) => 'directive' in statement && statement.directive);
  return directives.at(-1)?.end ?? start;
}

/** What goes around a part of the code: its beginning, and its end. */
function around({ start, end }: Node, before: string, after: string): [Insertion, Insertion] {
  return [
    { at: start, text: before },
    { at: end, text: after },
  ];
}

/** What is put into a node itself: what stands before its children, and what stands after them. */
function insertionsOf(node: AnyNode): [Insertion, Insertion?] | null {
  if (node.type === 'AwaitExpression') return around(node, `${RESUMED}(`, ')');
  if (LOOPS.includes(node.type)) {
    const { body } = node as Extract<AnyNode, { body: AnyNode | AnyNode[] }> & { body: AnyNode };
    const isAwaited = node.type === 'ForOfStatement' && node.await;
    const count = isAwaited ? `${RESUMED}();` : `${ROUND}();`;
    return body.type === 'BlockStatement'
      ? [{ at: body.start + 1, text: count }]
      : around(body, `{${count}`, '}');
  }
  if (FUNCTIONS.includes(node.type)) {
    const { body } = node as FunctionNode;
    if (body.type !== 'BlockStatement') return around(body, `(${ROUND}(),`, ')');
    return [{ at: afterDirectives(body.body, body.start + 1), text: `;${ROUND}();` }];
  }
  return null;
}

/** Those before a node's children in the order of the nodes, those after them in the order of their ends. */
function collect(node: Node, found: Insertion[]): void {
  const [before, after] = insertionsOf(node as AnyNode) ?? [];
  if (before !== undefined) found.push(before);
  for (const child of childrenOf(node)) collect(child, found);
  if (after !== undefined) found.push(after);
}

/**
 * An agent's code that counts the rounds of its loops, the calls of its functions and what it awaits, so that one that would
 * never come to an end is stopped: at the same place in every replay, since no clock is asked. Lines stay what they are.
 * @param code JavaScript
 * @param from the module that has `round` and `resumed`
 * @param isModule whether it is an ES module though it imports and exports nothing
 * @returns the code as it is where it cannot be parsed
 */
export function countRounds(code: string, from: string, isModule = false): string {
  const program = parsed(code);
  if (program === null) return code;
  const names = (colon: string) => `{ round${colon}${ROUND}, resumed${colon}${RESUMED} }`;
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

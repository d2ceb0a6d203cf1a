import {
  type AnyNode,
  type CallExpression,
  type Function as FunctionNode,
  type Node,
  type Program,
  parse,
} from 'acorn';

/** What is imported, and the names that it has in the file. */
const NAMES = {
  round: '__reprise_round',
  resumed: '__reprise_resumed',
  kept: '__reprise_kept',
  keptCalls: '__reprise_kept_calls',
  dropped: '__reprise_dropped',
  droppedCalls: '__reprise_dropped_calls',
};

const LOOPS = ['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement'];
const CALLBACKS = ['FunctionExpression', 'ArrowFunctionExpression'];
const FUNCTIONS = ['FunctionDeclaration', ...CALLBACKS];
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

/** Where a node stands. */
interface Place {
  /** What the node is within, down to its parent: the last three. */
  within: readonly AnyNode[];
  /** Whether `this` can be asked for: in a constructor it is not there before the call of `super`. */
  hasThis: boolean;
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

/** What makes use of the value of a call, or of the optional chain that ends with it. */
function userOf(node: AnyNode, within: readonly AnyNode[]): { user: AnyNode | undefined; value: AnyNode } {
  const parent = within.at(-1);
  return parent?.type === 'ChainExpression'
    ? { user: within.at(-2), value: parent }
    : { user: parent, value: node };
}

function isDropped(user: AnyNode | undefined): boolean {
  return (
    user?.type === 'ExpressionStatement' || (user?.type === 'UnaryExpression' && user.operator === 'void')
  );
}

/** Whether it is awaited at once, or something of it is asked for: what follows in an optional chain cannot be parted from it. */
function isUsedAtOnce(user: AnyNode | undefined, value: AnyNode): boolean {
  if (user?.type === 'AwaitExpression') return true;
  if (user?.type === 'MemberExpression') return user.object === value;
  return user?.type === 'CallExpression' && user.callee === value;
}

function called(node: CallExpression, { within, hasThis }: Place): Around | null {
  if (node.callee.type === 'Super') return null;
  const { user, value } = userOf(node, within);
  if (isDropped(user)) return around(node, `${NAMES.dropped}(`, hasThis ? ',this)' : ')');
  return isUsedAtOnce(user, value) ? null : around(node, `${NAMES.kept}(`, ')');
}

/** A function that the one that it is given to calls: nothing of the file calls for its promise. */
function callback(node: FunctionNode, { within, hasThis }: Place): Around | null {
  const user = within.at(-1);
  if (!node.async || user?.type !== 'CallExpression' || user.callee === node) return null;
  const { callee } = user;
  const name = callee.type === 'MemberExpression' && 'name' in callee.property ? callee.property.name : '';
  if (name !== 'forEach') return around(node, `${NAMES.keptCalls}(`, ')');
  return around(node, `${NAMES.droppedCalls}(`, hasThis ? ',this)' : ')');
}

/** One within the other. */
function both(outer: Around | null, inner: Around): Around {
  if (outer === null) return inner;
  return { before: [...outer.before, ...inner.before], after: [...inner.after, ...outer.after] };
}

/** What is put around a node, and into it. */
function insertionsOf(node: AnyNode, place: Place): Around | null {
  if (node.type === 'AwaitExpression') return around(node, `${NAMES.resumed}(`, ')');
  if (node.type === 'CallExpression') return called(node, place);
  if (node.type === 'NewExpression') {
    const makesPromise = node.callee.type === 'Identifier' && node.callee.name === 'Promise';
    return makesPromise ? around(node, `${NAMES.kept}(`, ')') : null;
  }
  if (LOOPS.includes(node.type)) return loop(node as Parameters<typeof loop>[0]);
  if (!FUNCTIONS.includes(node.type)) return null;
  return both(callback(node as FunctionNode, place), counted(node as FunctionNode));
}

/** Those before a node's children in the order of the nodes, those after them in the order of their ends. */
function collect(node: AnyNode, place: Place, found: Insertion[]): void {
  const { before, after } = insertionsOf(node, place) ?? { before: [], after: [] };
  found.push(...before);
  const parent = place.within.at(-1);
  const begetsThis = FUNCTIONS.includes(node.type) && node.type !== 'ArrowFunctionExpression';
  const constructs = parent?.type === 'MethodDefinition' && parent.kind === 'constructor';
  const hasThis = begetsThis ? !constructs : place.hasThis;
  for (const child of childrenOf(node))
    collect(child, { within: [...place.within.slice(-2), node], hasThis }, found);
  found.push(...after);
}

/**
 * An agent's code with what it cannot do without in a workflow. It counts the rounds of its loops, the calls of its functions
 * and what it awaits, so that one that would never come to an end is stopped: at the same place in every replay, since no
 * clock is asked. And a promise that is rejected before it is awaited, or is never, fails no workflow. Lines stay what they
 * are.
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
  collect(program, { within: [], hasThis: true }, insertions);
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

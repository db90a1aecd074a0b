/** The changes that fit one node of a program, by kind. Each is what a slip or a careless edit could have made of it. */
import type { Node } from 'oxc-parser';
import type { Siblings } from './siblings.ts';

export const kinds = {
  condition: 'an if, a loop or a ?: that always or never takes its branch, a ! removed',
  comparison: '< for <=, > for >=, === for !==, and the reverse',
  logic: '&& for ||, and the reverse; one side of ??',
  statement: 'a call, an assignment, a throw, or a return of a guard removed',
  arithmetic: '+ for -, * for /, Math.min for Math.max, and the reverse',
  status: 'a word for the next one of its group',
  spread: 'what is spread under a condition: never, always',
  predicate: 'the function given to filter, find, some or every: always true, always false',
} as const;

export type Kind = keyof typeof kinds;

export interface Edit {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

const operators: Readonly<Record<string, readonly [Kind, string]>> = {
  '<': ['comparison', '<='],
  '<=': ['comparison', '<'],
  '>': ['comparison', '>='],
  '>=': ['comparison', '>'],
  '===': ['comparison', '!=='],
  '!==': ['comparison', '==='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '/'],
  '/': ['arithmetic', '*'],
  '%': ['arithmetic', '*'],
  '+=': ['arithmetic', '-='],
  '-=': ['arithmetic', '+='],
};

const predicateTakers = new Set(['filter', 'find', 'findLast', 'findIndex', 'findLastIndex', 'some', 'every']);

/** `code` is the source without its comments. */
export function editsOf(node: Node, parent: Node | undefined, code: string, siblings: Siblings): readonly Edit[] {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return ['true', 'false'].map((after) => ({ kind: 'condition', ...rangeOf(node.test), after }));
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
      // Never always: a loop without an end fails every test.
      return node.test === null || node.test.type === 'Literal'
        ? []
        : [{ kind: 'condition', ...rangeOf(node.test), after: 'false' }];
    case 'UnaryExpression':
      return node.operator === '!' ? [{ kind: 'condition', ...rangeOf(node), after: textOf(node.argument, code) }] : [];
    case 'BinaryExpression':
      return isText(node) ? [] : operatorEdit(node.left, node.operator, node.right, code);
    case 'AssignmentExpression':
      return operatorEdit(node.left, node.operator, node.right, code);
    case 'LogicalExpression':
      return node.operator === '??'
        ? [node.left, node.right].map((side) => ({ kind: 'logic', ...rangeOf(node), after: `(${textOf(side, code)})` }))
        : operatorEdit(node.left, node.operator, node.right, code);
    case 'ExpressionStatement':
      return isLog(node, code) || node.directive ? [] : [removal(node)];
    case 'ThrowStatement':
    case 'ContinueStatement':
    case 'BreakStatement':
      return [removal(node)];
    case 'BlockStatement':
      return guardsIn(node, parent).map(removal);
    case 'ReturnStatement':
      return parent?.type === 'IfStatement' || parent?.type === 'SwitchCase' ? [removal(node)] : [];
    case 'Literal':
      return wordEdit(node, parent, siblings);
    case 'SpreadElement':
      return parent?.type === 'ObjectExpression' ? spreadEdits(node.argument, code) : [];
    case 'MemberExpression':
      return boundEdit(node, code);
    case 'CallExpression':
      return predicateEdits(node);
    default:
      return [];
  }
}

function operatorEdit(left: Node, operator: string, right: Node, code: string): readonly Edit[] {
  const [kind, after] = operators[operator] ?? [];
  const start = code.indexOf(operator, left.end);
  return kind === undefined || after === undefined || start >= right.start
    ? []
    : [{ kind, start, end: start + operator.length, after }];
}

function removal(node: Node): Edit {
  return { kind: 'statement', ...rangeOf(node), after: ';' };
}

/** The returns in a block, without the one that ends its function, which guards nothing. */
function guardsIn({ body }: Node & { type: 'BlockStatement' }, parent: Node | undefined): readonly Node[] {
  const isFunction = parent?.type.includes('Function') === true;
  return body.filter((statement, n) => statement.type === 'ReturnStatement' && !(isFunction && n === body.length - 1));
}

/** What is only logged decides nothing. */
function isLog(node: Node, code: string): boolean {
  return /^(await )?(this\.)?(deps\.)?#?logger\b/.test(textOf(node, code));
}

function wordEdit(node: Node & { type: 'Literal' }, parent: Node | undefined, siblings: Siblings): readonly Edit[] {
  const sibling = typeof node.value === 'string' ? siblings.get(node.value) : undefined;
  const isName =
    parent === undefined ||
    parent.type.startsWith('Import') ||
    parent.type.startsWith('Export') ||
    (parent.type === 'Property' && parent.key === node) ||
    (parent.type === 'MemberExpression' && parent.property === node);
  return sibling === undefined || isName ? [] : [{ kind: 'status', ...rangeOf(node), after: `'${sibling}'` }];
}

function spreadEdits(argument: Node, code: string): readonly Edit[] {
  const inner = argument.type === 'ParenthesizedExpression' ? argument.expression : argument;
  return inner.type === 'LogicalExpression' && inner.operator === '&&'
    ? ['{}', `(${textOf(inner.right, code)})`].map((after) => ({ kind: 'spread', ...rangeOf(argument), after }))
    : [];
}

function boundEdit(node: Node & { type: 'MemberExpression' }, code: string): readonly Edit[] {
  const other = ({ 'Math.min': 'Math.max', 'Math.max': 'Math.min' } as Readonly<Record<string, string>>)[
    textOf(node, code)
  ];
  return other === undefined ? [] : [{ kind: 'arithmetic', ...rangeOf(node), after: other }];
}

function predicateEdits({ callee, arguments: [given] }: Node & { type: 'CallExpression' }): readonly Edit[] {
  const takes =
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    predicateTakers.has(callee.property.name);
  return takes && given?.type === 'ArrowFunctionExpression' && given.body.type !== 'BlockStatement'
    ? ['true', 'false'].map((after) => ({ kind: 'predicate', ...rangeOf(given.body), after }))
    : [];
}

function isText(node: Node): boolean {
  return node.type === 'BinaryExpression'
    ? node.operator === '+' && (isText(node.left) || isText(node.right))
    : node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

function textOf(node: Node, code: string): string {
  return code.slice(node.start, node.end);
}

function rangeOf({ start, end }: Node) {
  return { start, end };
}

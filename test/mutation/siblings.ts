/**
 * Finds which word could replace a status: the next one of its group. Groups are what the code itself lists: a union of
 * string literals, an array of them, the keys of a constant table, and those of a table of objects, such as states.
 */
import type { Node } from 'oxc-parser';
import { childrenOf, parse } from './program.ts';

/** Another word of the same group, by word. */
export type Siblings = ReadonlyMap<string, string>;

export function findSiblings(sources: ReadonlyMap<string, string>): Siblings {
  const siblings = new Map<string, string>();
  for (const [file, source] of sources) {
    for (const group of groupsIn(parse(file, source).program)) {
      const words = group.filter((word) => !siblings.has(word));
      for (const word of words) {
        siblings.set(word, group[(group.indexOf(word) + 1) % group.length] as string);
      }
    }
  }
  return siblings;
}

function groupsIn(node: Node): readonly (readonly string[])[] {
  const words = [...new Set(wordsOf(node))];
  return [...(words.length > 1 ? [words] : []), ...childrenOf(node).flatMap(groupsIn)];
}

function wordsOf(node: Node): readonly string[] {
  switch (node.type) {
    case 'TSUnionType':
      return node.types.flatMap((type) => (type.type === 'TSLiteralType' ? textOf(type.literal) : []));
    case 'ArrayExpression':
      return node.elements.every((element) => element !== null && textOf(element).length > 0)
        ? node.elements.flatMap((element) => (element === null ? [] : textOf(element)))
        : [];
    case 'TSAsExpression':
      return isConstant(node) && node.expression.type === 'ObjectExpression' ? keysOf(node.expression) : [];
    case 'ObjectExpression':
      return node.properties.every((one) => one.type === 'Property' && one.value.type === 'ObjectExpression')
        ? keysOf(node)
        : [];
    default:
      return [];
  }
}

function keysOf({ properties }: Node & { type: 'ObjectExpression' }): readonly string[] {
  return properties.flatMap((property) =>
    property.type === 'Property' && !property.computed && property.key.type === 'Identifier' ? [property.key.name] : [],
  );
}

function isConstant(node: Extract<Node, { type: 'TSAsExpression' }>): boolean {
  const { typeAnnotation: type } = node;
  return type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'const';
}

function textOf(node: Node): readonly string[] {
  return node.type === 'Literal' && typeof node.value === 'string' ? [node.value] : [];
}

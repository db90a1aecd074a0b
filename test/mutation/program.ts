/**
 * Reads a TypeScript source file and visits each part of it that exists at run time. It uses oxc-parser, because
 * TypeScript 7 has no parser that JavaScript can call.
 */
import { type Comment, type Node, type Program, parseSync, visitorKeys } from 'oxc-parser';

/** TypeScript's own nodes that contain code. */
const transparent = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

/** Throws when the text is not TypeScript. */
export function parse(
  file: string,
  source: string,
): { readonly program: Program; readonly comments: readonly Comment[] } {
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) {
    throw new Error(`${file}: ${errors[0]?.message}`);
  }
  return { program, comments };
}

export function isProgram(file: string, source: string): boolean {
  return parseSync(file, source).errors.length === 0;
}

/** The files that it imports for more than their types, as written. */
export function importsOf(file: string, source: string): readonly string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module;
  return [
    ...staticImports.filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType)),
    ...staticExports.flatMap(({ entries }) => entries.filter(({ isType }) => !isType)),
    ...dynamicImports,
  ].flatMap((one) => {
    const { moduleRequest } = one;
    return moduleRequest ? [source.slice(moduleRequest.start + 1, moduleRequest.end - 1)] : [];
  });
}

export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  if (node.type.startsWith('TS') && !transparent.has(node.type)) {
    return;
  }
  visit(node, parent);
  for (const child of childrenOf(node)) {
    walk(child, visit, node);
  }
}

/** Including types. */
export function childrenOf(node: Node): readonly Node[] {
  const fields = node as unknown as Readonly<Record<string, Node | readonly (Node | null)[] | null | undefined>>;
  return (visitorKeys[node.type] ?? []).flatMap((key) => fields[key] ?? []).filter((child) => child !== null) as Node[];
}

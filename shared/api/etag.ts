/** Entity tags. They contain the revisions of the shown items, and everything else that changes the representation. */

export function etagOf(...parts: readonly (string | number | undefined)[]): string {
  return `"${parts.filter((part) => part !== undefined).join('-')}"`;
}

/** Whether one of the header's values is the tag. A proxy may have made it a weak tag. */
export function matches(ifNoneMatch: readonly string[], etag: string): boolean {
  const tags = ifNoneMatch.flatMap((value) => value.split(',')).map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

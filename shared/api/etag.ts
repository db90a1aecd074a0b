/** Entity tags: the revisions of what is shown, and whatever else changes how it looks. */

export function etagOf(...parts: readonly (string | number | undefined)[]): string {
  return `"${parts.filter((part) => part !== undefined).join('-')}"`;
}

/** Whether one of the header's values is the tag. Proxies may have made it a weak one. */
export function matches(ifNoneMatch: readonly string[], etag: string): boolean {
  const tags = ifNoneMatch.flatMap((value) => value.split(',')).map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

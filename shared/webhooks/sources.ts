/** The addresses the platform sends from, as a list that others can only watch or that keeps others out. */
import { BlockList, isIP } from 'node:net';

/** `sources`: addresses and ranges, separated by spaces. */
export function knownSources(sources: string): (sourceIp: string) => boolean {
  const list = new BlockList();
  for (const source of sources.split(' ')) {
    const [address = '', prefix] = source.split('/');
    list.addSubnet(address, Number(prefix ?? 32), 'ipv4');
  }
  return (sourceIp) => isIP(sourceIp) === 4 && list.check(sourceIp);
}

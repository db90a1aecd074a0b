/**
 * The addresses from which the platform sends (docs/viva.md, "Webhooks"). They have changed before, so an environment
 * can only observe.
 */
import { BlockList, isIP } from 'node:net';

/** `sources`: addresses and ranges, separated by spaces. */
export function knownSources(sources: string): (sourceIp: string) => boolean {
  const list = new BlockList();
  for (const source of sources.split(' ')) {
    const [address = '', prefix] = source.split('/');
    if (prefix === undefined) {
      list.addAddress(address, familyOf(address));
    } else {
      list.addSubnet(address, Number(prefix), familyOf(address));
    }
  }
  return (sourceIp) => isIP(sourceIp) !== 0 && list.check(sourceIp, familyOf(sourceIp));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

import { describe, expect, it } from 'vitest';
import { type EnvironmentName, environments } from '../../../infra/environments.ts';
import { parseFile, settingsFile } from '../../../operator/account-files.ts';

const put = (callbackUrl: string, environment: EnvironmentName = 'production') =>
  parseFile(
    settingsFile(environments[environment].callbacks),
    'settings.json',
    JSON.stringify({ mode: 'merchant', country: 'GR', currency: 'EUR', terminals: [], callbackUrl }),
  ).callbackUrl;

describe('the callback address in the settings of an account', () => {
  it.each([
    ['http://shop.example/hook', /callbackUrl is not https: .* write https:\/\/<host>\/<path>/],
    ['ftp://shop.example/hook', /callbackUrl is not https/],
    ['https://user:word@shop.example/hook', /callbackUrl has a user name or password in it: leave them out/],
    ['https://user@shop.example/hook', /callbackUrl has a user name/],
    ['https://93.184.216.34/hook', /callbackUrl has an IP address for its host: write the name/],
    ['https://2130706433/hook', /callbackUrl has an IP address/],
    ['https://[2606:4700:4700::1111]/hook', /callbackUrl has an IP address/],
    ['shop.example/hook', /callbackUrl is not a URL/],
  ])('is refused with an instruction: %s', (address, says) => {
    expect(() => put(address)).toThrow(says);
  });

  it('must be https with a host name, and is stored as it was written', () => {
    expect(put('https://shop.example:8443/hook?a=1')).toBe('https://shop.example:8443/hook?a=1');
  });

  it.each(['http://127.0.0.1:4000/hook', 'http://[::1]:4000/hook', 'http://localhost:4000/hook'])(
    'may be %s in the sandbox only',
    (address) => {
      expect(put(address, 'local')).toBe(address);
      expect(() => put(address)).toThrow();
    },
  );

  it.each(['http://user:word@127.0.0.1/hook', 'ftp://127.0.0.1/hook'])(
    'may not be %s, even in the sandbox',
    (address) => {
      expect(() => put(address, 'local')).toThrow(/callbackUrl/);
    },
  );

  it('is never repeated in an error', () => {
    expect(() => put('https://user:word@shop.example/hook')).not.toThrow(/word@/);
  });
});

import { describe, expect, it } from 'vitest';
import { isByLoopbackName, isOwnCaller } from '../../../sandbox/own-callers.ts';

const host = '127.0.0.1:4010';

describe('the sandbox', () => {
  it.each([
    ['curl', { host }],
    ['a program that uses the name localhost', { host: 'localhost:4010' }],
    ['a program on IPv6', { host: '[::1]:4010' }],
    ['a program on the default port', { host: 'localhost' }],
    ['its own page', { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }],
    ['a read by its own page', { host, 'sec-fetch-site': 'same-origin' }],
    ['an address typed by the user', { host, 'sec-fetch-site': 'none' }],
  ])('answers %s', (_, headers) => {
    expect(isOwnCaller(headers)).toBe(true);
  });

  it.each([
    ['a page on the internet', { host, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a page on the internet in a browser that sends no Sec-Fetch-Site', { host, origin: 'https://evil.example' }],
    ['an image on a page', { host, 'sec-fetch-site': 'cross-site' }],
    ['a page in a sandboxed frame', { host, origin: 'null' }],
    ['a page of another port', { host, origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }],
    ['a page of another name of this machine', { host, origin: 'http://localhost:4010' }],
    ['a page that was loaded over TLS', { host, origin: `https://${host}` }],
    ['a read by a page of another port', { host, 'sec-fetch-site': 'same-site' }],
    ['a site in two headers', { host, 'sec-fetch-site': 'none, cross-site' }],
  ])('refuses %s', (_, headers) => {
    expect(isOwnCaller(headers)).toBe(false);
  });

  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:4010',
    'localhost.evil.example',
    '127.0.0.1.evil.example:4010',
    'evil.example#127.0.0.1',
    '127.0.0.1@evil.example',
    '0.0.0.0:4010',
    '192.168.1.2:4010',
    '127.0.0.1:4010, evil.example',
    '127.0.0.1:4010\nevil.example',
  ])('does not answer to the name %s, even when it resolves to this machine', (name) => {
    expect(isByLoopbackName({ host: name })).toBe(false);
    expect(isOwnCaller({ host: name, origin: `http://${name}` })).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { isDenied, mayInvoke } from '../../../../../sandbox/cloud/gateway/policy.ts';

const api = 'arn:aws:execute-api:eu-west-1:000000000000:api';
const call = (path: string, sourceIp = '10.0.0.1') => ({ methodArn: `${api}/v1/${path}`, sourceIp });
const statement = (Effect: string, Resource: string | string[], more: object = {}) => ({
  Effect,
  Action: 'execute-api:Invoke',
  Resource,
  ...more,
});

describe('a resource policy', () => {
  it('allows what it names, with wildcards, and nothing else', () => {
    const statements = [statement('Allow', [`${api}/v1/GET/sales*`, `${api}/*/POST/sales/?/abort`])];

    expect(['GET/sales', 'GET/sales/7', 'POST/sales/7/abort'].map((path) => mayInvoke(statements, call(path)))).toEqual(
      [true, true, true],
    );
    expect(['POST/sales', 'POST/sales/77/abort', 'GET/cards'].map((path) => mayInvoke(statements, call(path)))).toEqual(
      [false, false, false],
    );
  });

  it('denies before it allows', () => {
    const statements = [statement('Allow', '*'), statement('Deny', `${api}/v1/POST/*`)];

    expect([mayInvoke(statements, call('GET/sales')), mayInvoke(statements, call('POST/sales'))]).toEqual([
      true,
      false,
    ]);
    expect([isDenied(statements, call('GET/sales')), isDenied(statements, call('POST/sales'))]).toEqual([false, true]);
  });

  it('restricts the source addresses of a path, for IPv4 and IPv6', () => {
    const elsewhere = {
      Condition: { NotIpAddress: { 'aws:SourceIp': ['51.138.37.238/32', '20.54.0.0/16', '2001:db8::/32'] } },
    };
    const everyone = { Principal: { AWS: '*' } };
    const statements = [
      statement('Allow', 'execute-api:/*', everyone),
      statement('Deny', 'execute-api:/*/POST/webhooks/*', { ...everyone, ...elsewhere }),
    ];
    const from = (path: string, ...addresses: string[]) =>
      addresses.map((address) => mayInvoke(statements, call(path, address)));

    expect(from('POST/webhooks/a/b', '51.138.37.238', '20.54.9.9', '2001:db8::7')).toEqual([true, true, true]);
    expect(from('POST/webhooks/a/b', '51.138.37.239', '127.0.0.1', '2001:db9::7')).toEqual([false, false, false]);
    expect(from('POST/sales', '51.138.37.239')).toEqual([true]);
  });

  it('refuses other addresses when its Allow is limited to some', () => {
    const inside = { Principal: '*', Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } };
    const statements = [statement('Allow', 'execute-api:/*', inside)];

    expect([mayInvoke(statements, call('GET/', '10.9.9.9')), mayInvoke(statements, call('GET/', '11.0.0.1'))]).toEqual([
      true,
      false,
    ]);
  });

  it('denies what it does not name as open, however the path is written', () => {
    const elsewhere = { Condition: { NotIpAddress: { 'aws:SourceIp': '20.54.0.0/16' } } };
    const statements = [
      statement('Allow', 'execute-api:/*'),
      { Effect: 'Deny', Action: 'execute-api:Invoke', NotResource: [`${api}/v1/GET/sales*`], ...elsewhere },
    ];
    const from = (address: string, ...paths: string[]) =>
      paths.map((path) => mayInvoke(statements, call(path, address)));

    expect(from('127.0.0.1', 'GET/sales', 'GET/sales/7')).toEqual([true, true]);
    expect(from('127.0.0.1', 'POST/webhooks/a/b', 'POST/%77ebhooks/a/b', 'GET/s%61les')).toEqual([false, false, false]);
    expect(from('20.54.1.1', 'POST/webhooks/a/b')).toEqual([true]);
  });

  it('accepts the short form of a resource only where API Gateway documents it', () => {
    const statements = [{ Effect: 'Deny', Action: 'execute-api:Invoke', NotResource: 'execute-api:/v1/GET/sales' }];

    expect(() => mayInvoke(statements, call('GET/sales'))).toThrow('NotResource');
  });

  it.each([
    ['principal', { Principal: { AWS: 'arn:aws:iam::1:root' } }],
    ['condition key', { Condition: { IpAddress: { 'aws:VpcSourceIp': '10.0.0.1' } } }],
    ['condition operator', { Condition: { DateGreaterThan: { 'aws:CurrentTime': '2026-01-01' } } }],
  ])('fails on an unknown %s instead of passing it', (named, more) => {
    expect(() => mayInvoke([statement('Allow', '*', more)], call('GET/'))).toThrow(named);
  });
});

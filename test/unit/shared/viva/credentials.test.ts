import { describe, expect, it } from 'vitest';
import { createCredentials, isvOwner } from '../../../../shared/viva/credentials.ts';
import { MemorySecrets } from '../../../fakes/secrets.ts';

const NAME = 'tillflow/test/accounts/m-1';
const pos = (clientSecret: string) => ({ pos: { clientId: 'pos-client', clientSecret } });

function worldOf(value?: unknown) {
  const world = { at: 0, secrets: new MemorySecrets() };
  if (value !== undefined) {
    world.secrets.put(NAME, value);
  }
  return { ...world, world, credentials: createCredentials(world.secrets.client, 'tillflow/test', () => world.at) };
}

/** A platform that accepts one client secret only. */
const taking = (wanted: string) => async (credential: { clientSecret: string }) =>
  credential.clientSecret === wanted ? 'accepted' : undefined;

describe('credentials', () => {
  it('are read on first use, and kept for five minutes', async () => {
    const { credentials, secrets, world } = worldOf(pos('one'));
    expect(secrets.reads).toBe(0);

    await credentials.get('m-1', 'pos');
    world.at = 299_999;
    expect(await credentials.get('m-1', 'pos')).toEqual({ clientId: 'pos-client', clientSecret: 'one' });
    expect(secrets.reads).toBe(1);

    secrets.put(NAME, pos('two'));
    world.at = 300_000;
    expect(await credentials.get('m-1', 'pos')).toMatchObject({ clientSecret: 'two' });
  });

  it('are read once for concurrent callers', async () => {
    const { credentials, secrets } = worldOf(pos('one'));

    await Promise.all(Array.from({ length: 50 }, () => credentials.get('m-1', 'pos')));

    expect(secrets.reads).toBe(1);
  });

  it('are read again after a failure', async () => {
    const { credentials, secrets } = worldOf(pos('one'));
    secrets.failure = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    await expect(credentials.get('m-1', 'pos')).rejects.toMatchObject({
      name: 'TransientError',
      code: 'CREDENTIALS_UNREADABLE',
    });

    secrets.failure = undefined;

    expect(await credentials.get('m-1', 'pos')).toMatchObject({ clientSecret: 'one' });
  });

  it('of the ISV have their own secret', async () => {
    const { credentials, secrets } = worldOf();
    secrets.put('tillflow/test/isv', { reseller: { resellerId: 'r', apiKey: 'k' } });

    expect(await credentials.get(isvOwner, 'reseller')).toEqual({ resellerId: 'r', apiKey: 'k' });
  });

  it('of one merchant are never used for another', async () => {
    const { credentials, secrets } = worldOf({ apiKey: 'key-1' });
    secrets.put('tillflow/test/accounts/m-2', { apiKey: 'key-2' });

    expect(await Promise.all(['m-1', 'm-2', 'm-1'].map((id) => credentials.get(id, 'apiKey')))).toEqual([
      'key-1',
      'key-2',
      'key-1',
    ]);
  });
});

describe('credentials that are missing or malformed', () => {
  it.each([
    ['no secret', undefined, 'CREDENTIALS_MISSING: there is no tillflow/test/accounts/m-1'],
    ['no set', { apiKey: 'CANARY' }, 'CREDENTIALS_MISSING: no pos in tillflow/test/accounts/m-1'],
    [
      'an empty value',
      { pos: { clientId: 'CANARY', clientSecret: '' } },
      'CREDENTIALS_MALFORMED: pos.clientSecret in tillflow/test/accounts/m-1 is not as documented',
    ],
    [
      'another type',
      { pos: 'CANARY' },
      'CREDENTIALS_MALFORMED: pos in tillflow/test/accounts/m-1 is not as documented',
    ],
    ['broken JSON', '{"pos":"CANARY', 'CREDENTIALS_MALFORMED: tillflow/test/accounts/m-1 is not as documented'],
    ['another JSON', '"CANARY"', 'CREDENTIALS_MALFORMED: tillflow/test/accounts/m-1 is not as documented'],
  ])('cause a fault that names secret and field, never content: %s', async (_, value, message) => {
    const { credentials } = worldOf(value);

    const error = await credentials.get('m-1', 'pos').catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: 'FaultError', message });
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('CANARY');
  });

  it('do not affect the other sets', async () => {
    const { credentials } = worldOf({ pos: 'broken', apiKey: 'key' });

    expect(await credentials.get('m-1', 'apiKey')).toBe('key');
  });
});

describe('a rotation of credentials', () => {
  it('that we have not seen yet is found by reading again', async () => {
    const { credentials, secrets } = worldOf(pos('old'));
    await credentials.get('m-1', 'pos');
    secrets.put(NAME, pos('new'));

    expect(await credentials.use('m-1', 'pos', taking('new'))).toBe('accepted');
    expect(await credentials.get('m-1', 'pos')).toMatchObject({ clientSecret: 'new' });
  });

  it('that the platform has not seen yet is bridged with the previous values, which are remembered', async () => {
    const { credentials, secrets } = worldOf(pos('old'));
    secrets.put(NAME, pos('new'));

    expect(await credentials.use('m-1', 'pos', taking('old'))).toBe('accepted');

    const { reads } = secrets;
    expect(await credentials.use('m-1', 'pos', taking('old'))).toBe('accepted');
    expect(secrets.reads).toBe(reads);
  });

  it('that the platform accepts on neither side is a fault, and the previous values are not kept', async () => {
    const { credentials, secrets } = worldOf(pos('old'));
    secrets.put(NAME, pos('new'));
    const tried: string[] = [];

    await expect(
      credentials.use('m-1', 'pos', async ({ clientSecret }) => {
        tried.push(clientSecret);
        return undefined;
      }),
    ).rejects.toMatchObject({ name: 'FaultError', code: 'CREDENTIALS_REFUSED' });

    expect(tried).toEqual(['new', 'new', 'old']);
    expect(await credentials.get('m-1', 'pos')).toMatchObject({ clientSecret: 'new' });
  });

  it('of another set does not cause a third attempt with the same values', async () => {
    const { credentials, secrets } = worldOf({ ...pos('one'), apiKey: 'old' });
    secrets.put(NAME, { ...pos('one'), apiKey: 'new' });
    let attempts = 0;
    const refusing = async () => {
      attempts++;
      return undefined;
    };

    await expect(credentials.use('m-1', 'pos', refusing)).rejects.toMatchObject({
      name: 'FaultError',
      code: 'CREDENTIALS_REFUSED',
    });

    expect(attempts).toBe(2);
  });

  it('does not hide a failure of the work itself', async () => {
    const { credentials } = worldOf(pos('one'));

    await expect(credentials.use('m-1', 'pos', () => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
  });
});

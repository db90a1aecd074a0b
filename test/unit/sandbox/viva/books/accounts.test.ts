import { describe, expect, it } from 'vitest';
import { Clock } from '../../../../../sandbox/clock.ts';
import { Accounts } from '../../../../../sandbox/viva/books/accounts.ts';

describe('the accounts of the simulator', () => {
  it('follow from the seed', () => {
    const clock = new Clock();

    expect(new Accounts(7, clock).all).toEqual(new Accounts(7, clock).all);
    expect(new Accounts(8, clock).all[0]?.merchantId).not.toBe(new Accounts(7, clock).all[0]?.merchantId);
  });

  it('have two terminals and four credential sets each, with values that survive Basic encoding', () => {
    const { all } = new Accounts(7, new Clock());

    expect(all.map(({ mode }) => mode)).toEqual(['merchant', 'merchant', 'isv', 'isv']);
    for (const { terminals, credentials } of all) {
      const { apiKey, ...clients } = credentials;
      const values = [
        apiKey,
        ...Object.values(clients).flatMap(({ clientId, clientSecret }) => [clientId, clientSecret]),
      ];
      expect(terminals).toHaveLength(2);
      expect(values.every((value) => /^[A-Za-z0-9.]+$/.test(value))).toBe(true);
    }
  });

  it('have the tokenization scope only with the role', () => {
    const accounts = new Accounts(7, new Clock());
    const account = accounts.all[0]!;
    const granted = () =>
      accounts.scopesOf('smartCheckout', account).some((scope) => scope.endsWith('cardtokenization'));

    const before = granted();
    account.rights.tokenizationRole = false;

    expect([before, granted()]).toEqual([true, false]);
  });
});

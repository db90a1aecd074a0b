/** What the demonstration does as a shop: it calls the API, pays at the simulated bank, and counts in euros. */
import { toMajor } from '../shared/viva/money.ts';

export interface Shop {
  api<T>(method: string, path: string, options?: { readonly body?: object; readonly waitSeconds?: number }): Promise<T>;
  control<T>(method: string, path: string, body?: object): Promise<T>;
}

export function openShop(apiUrl: string, controlUrl: string, accessToken: string): Shop {
  return {
    api: (method, path, { body, waitSeconds } = {}) =>
      send(`${apiUrl}${path}`, method, body, {
        authorization: `Bearer ${accessToken}`,
        ...(method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
        ...(waitSeconds !== undefined && { prefer: `wait=${waitSeconds}` }),
      }),
    control: (method, path, body) => send(`${controlUrl}${path}`, method, body, {}),
  };
}

export function euros(cents: number): string {
  return `${toMajor(cents)} EUR`;
}

async function send<T>(
  url: string,
  method: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<T> {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) {
    throw new Error(`${method} ${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`);
  }
  return (await answer.json()) as T;
}

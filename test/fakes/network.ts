/** The network in memory: a fetch that answers from a script and records the requests. */
export interface Asked {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly authorization: string | null;
  readonly headers: Headers;
  readonly body: string;
}

type Reply = Response | Error;
export type Script = (asked: Asked) => Reply | Promise<Reply>;

export class FakeNetwork {
  readonly asked: Asked[] = [];
  script: Script;

  constructor(script: Script) {
    this.script = script;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { host, pathname, searchParams } = new URL(request.url);
    const asked: Asked = {
      method: request.method,
      host,
      path: decodeURIComponent(pathname),
      query: Object.fromEntries(searchParams),
      authorization: request.headers.get('authorization'),
      headers: request.headers,
      body: await request.text(),
    };
    this.asked.push(asked);
    const reply = await this.script(asked);
    if (reply instanceof Error) {
      throw reply;
    }
    return reply;
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
}

const SYSCALLS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'getaddrinfo',
  EAI_AGAIN: 'getaddrinfo',
  ECONNREFUSED: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  ECONNRESET: 'read',
};

/** Fails as fetch does: the system's code is in the cause, with the failed system call if there was one. */
export function networkFailure(code: string, syscall: string | undefined = SYSCALLS[code]): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, syscall }) });
}

/** Fails as fetch does when none of a host's addresses could be reached. */
export function everyAddressFailed(...failures: readonly Error[]): Error {
  const errors = failures.map(({ cause }) => cause);
  return new TypeError('fetch failed', { cause: Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' }) });
}

export function timeout(): Error {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError');
}

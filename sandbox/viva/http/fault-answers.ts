/** The faults that change an answer: the request was processed, but the answer is lost or says something else. */
import { answer } from './answers.ts';
import type { Fault } from './faults.ts';
import { told } from './lies.ts';

/** The answer after a fault of the stage `after`. Undefined: it is lost. */
export async function spoil({ name }: Fault, response: Response): Promise<Response | undefined> {
  switch (name) {
    case 'answer_lost':
      return undefined;
    case 'server_error_after':
      return answer(undefined, { status: 500 });
    case 'success_false':
      return answer({ ErrorCode: 0, ErrorText: null, EventId: 0, Success: false });
    case 'malformed_200': {
      const text = (await response.text()) || '{"transactionId":"';
      return rewritten(200, response, text.slice(0, Math.ceil(text.length / 2)));
    }
    default:
      return response;
  }
}

/** The answer after a fault of the stage `told`. Undefined: the fault had nothing to change. */
export async function lied(fault: Fault, response: Response, path: string): Promise<Response | undefined> {
  const text = response.ok ? told(fault, await response.clone().text(), path.split('/').pop() ?? '') : undefined;
  return text === undefined ? undefined : rewritten(response.status, response, text);
}

function rewritten(status: number, { headers }: Response, text: string): Response {
  return new Response(text, {
    status,
    headers: { ...Object.fromEntries(headers), 'Content-Type': 'application/json' },
  });
}

/** The faults that strike an answer: the request was processed, and the caller cannot know it, or is told otherwise. */
import { answer } from './answers.ts';
import type { FaultName } from './faults.ts';

const OTHER_MERCHANT = '00000000-0000-4000-8000-000000000000';

/** Undefined: the answer is lost. */
export async function spoil(name: FaultName, response: Response): Promise<Response | undefined> {
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
    case 'wrong_amount':
      return edited(response, (text) =>
        text.replace(/("amount":)(-?\d+)(\.\d+)?/gi, (_all, field, whole, cents) =>
          cents === undefined ? `${field}${Number(whole) + 100}` : `${field}${Number(whole) + 1}${cents}`,
        ),
      );
    case 'wrong_merchant':
      return edited(response, (text) => text.replace(/("merchantId":)"[^"]+"/gi, `$1"${OTHER_MERCHANT}"`));
    case 'session_failed':
      return edited(response, (text) =>
        text
          .replace('"success":true', '"success":false')
          .replace('"eventId":0', '"eventId":1099')
          .replace(/"transactionId":"[^"]+"/, '"transactionId":null'),
      );
    case 'transaction_failed':
      return edited(response, (text) => text.replace(/("statusId":)"F"/i, '$1"E"'));
    case 'bad_rf_code':
      return edited(response, (text) =>
        text.replace(/(\d)("\s*})$/, (_all, digit, end) => `${(Number(digit) + 1) % 10}${end}`),
      );
    default:
      return response;
  }
}

async function edited(response: Response, edit: (text: string) => string): Promise<Response> {
  return rewritten(response.status, response, edit(await response.text()));
}

function rewritten(status: number, { headers }: Response, text: string): Response {
  return new Response(text, {
    status,
    headers: { ...Object.fromEntries(headers), 'Content-Type': 'application/json' },
  });
}

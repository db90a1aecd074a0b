/** What `npm start` and `npm run dev` print when the sandbox is up: its addresses, and lines to paste. */
import type { ReadyLine, Sandbox } from './sandbox.ts';

export function howToGoOn({ apiUrl, controlUrl, storefront, issuerUrl }: ReadyLine, { platform }: Sandbox): string {
  const { merchantId, terminals } = platform.merchants[0]!;
  const body = {
    merchantId,
    terminalId: terminals[0],
    cashRegisterId: 'till-1',
    amount: 1500,
    currency: 'EUR',
    tokenize: true,
  };
  return `
  API        ${apiUrl}
  control    ${controlUrl}/_sim   (terminals, ledger, faults, clock: docs/sandbox.md)
  issuer     ${issuerUrl}
  platform   ${platform.urls.authUrl} (identity)  ${platform.urls.apiUrl} (api)  ${platform.urls.baseUrl} (base)

Copy and paste:

  API=${apiUrl} CONTROL=${controlUrl} MERCHANT=${merchantId} TERMINAL=${terminals[0]}
  TOKEN=${storefront.accessToken}

  curl -s -X POST ${apiUrl}/sales -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -H "Idempotency-Key: $(date +%s%N)" -d '${JSON.stringify(body)}'

  curl -s "${apiUrl}/sales?merchantId=${merchantId}" -H "Authorization: Bearer $TOKEN"

  curl -s "${controlUrl}/_sim/ledger?merchantId=${merchantId}"

Ctrl-C stops it.`;
}

/** Posts a webhook that the platform has not sent. Resolves to the status. Like the platform it repeats after a 503. */
export async function postWebhook(webhookUrl: string, webhook: object, again = 3): Promise<number> {
  const { status } = await fetch(webhookUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(webhook),
  });
  return status === 503 && again > 0 ? postWebhook(webhookUrl, webhook, again - 1) : status;
}

/** Posts a webhook that the platform has not sent. */
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** Resolves to the status. Like the platform it repeats what was answered with 503, but at once. */
export async function postWebhook(webhookUrl: string, webhook: object, again = 3): Promise<number | undefined> {
  const status = await postOnce(webhookUrl, webhook);
  return status === 503 && again > 0 ? postWebhook(webhookUrl, webhook, again - 1) : status;
}

/** Without `fetch`, because ten thousand calls of it cost more than what they call. */
function postOnce(webhookUrl: string, webhook: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { agent, method: 'POST', headers: { 'content-type': 'application/json' } };
    request(webhookUrl, options, (response) => response.resume().on('end', () => resolve(response.statusCode)))
      .on('error', reject)
      .end(JSON.stringify(webhook));
  });
}

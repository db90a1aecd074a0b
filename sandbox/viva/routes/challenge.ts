/**
 * The issuer's authentication page: the form that leads to it, the page on which the payer decides, and the redirect
 * back to the merchant. The simulator serves it on the base host. The real page belongs to the issuer.
 */
import { html } from 'hono/html';
import type { Simulator } from '../simulator.ts';
import { newRoutes, type Routes } from './routes.ts';

/** The markup of `redirectToACSForm`, which takes the payer to the issuer. */
export function challengeForm(sim: Simulator, challengeId: string): string {
  return (
    `<form id="acs" method="POST" action="${sim.urls.baseUrl}/acs/${challengeId}">` +
    `<input type="hidden" name="creq" value="${Buffer.from(challengeId).toString('base64url')}"></form>` +
    `<script>document.getElementById('acs').submit();</script>`
  );
}

export function challengeRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  app.on(['GET', 'POST'], '/acs/:id', (c) => {
    const id = c.req.param('id');
    return sim.books.chargeTokens.ofChallenge(id) === undefined ? c.notFound() : c.html(decisionPage(id));
  });
  app.post('/acs/:id/decision', async (c) => {
    const token = sim.books.chargeTokens.ofChallenge(c.req.param('id'));
    if (token === undefined) {
      return c.notFound();
    }
    const decision = new URLSearchParams(await c.req.text()).get('decision');
    if (token.authentication === 'pending') {
      token.authentication = decision === 'approve' ? 'done' : 'failed';
    }
    const { sessionRedirectUrl } = token;
    if (sessionRedirectUrl === null) {
      return c.html(page(html`<p>You may close this page.</p>`));
    }
    return sim.switches.get('acsReturn') === 'get'
      ? c.redirect(sessionRedirectUrl, 303)
      : c.html(returnPage(sessionRedirectUrl));
  });
  return app;
}

function decisionPage(id: string) {
  return page(html`<p>Is it you who pays?</p>
<form method="POST" action="/acs/${id}/decision">
<button name="decision" value="approve">Yes</button> <button name="decision" value="refuse">No</button>
</form>`);
}

/** Sends the payer back with a form that submits itself. */
function returnPage(url: string) {
  return page(html`<form id="back" method="POST" action="${url}"><noscript><button>Back</button></noscript></form>
<script>document.getElementById('back').submit();</script>`);
}

function page(content: ReturnType<typeof html>) {
  return html`<!doctype html><html lang="en"><title>Sandbox bank</title><body><h1>Sandbox bank</h1>${content}</body></html>`;
}

import { expect, it } from 'vitest';
import { type ControlDeps, controlRoutes as cloudRoutes } from '../../../sandbox/cloud/control.ts';
import { controlApp } from '../../../sandbox/control.ts';
import { controlRoutes } from '../../../sandbox/viva/control/control.ts';
import type { Simulator } from '../../../sandbox/viva/simulator.ts';

const app = controlApp(
  controlRoutes({} as Simulator, async () => {}),
  cloudRoutes({} as ControlDeps),
);
const ask = (path: string, headers: object = {}) => app.request(path, { headers: { host: 'localhost', ...headers } });

it.each(['/_cloud/nope', '/_sim/nope', '/nope'])(
  'the control API answers %s with the routes that exist',
  async (path) => {
    const answer = await ask(path);

    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      detail: `There is no GET ${path}. \`routes\` has all routes.`,
      routes: expect.arrayContaining(['POST /_sim/clock', 'GET /_cloud/logs', 'GET /_cloud/executions/:name']),
    });
  },
);

it('the control API refuses a web page of another origin before anything else', async () => {
  expect((await ask('/_cloud/nope', { origin: 'https://evil.example' })).status).toBe(403);
});

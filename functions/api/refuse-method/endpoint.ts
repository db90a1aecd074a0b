/** Answers a method that a resource does not know with 405 and the ones it knows. Needs no access token, tells no secret. */
import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { Problem } from '../../../shared/api/problem.ts';
import { methodsOf } from '../../../shared/api/routes.ts';

export const refuseMethod: Endpoint<object> = {
  name: 'refuse-method',
  query: 'any',
  secrets: ['pathToken'],
  run: ({ route }) => {
    const allowed = methodsOf(route.slice(route.indexOf(' ') + 1)).join(', ');
    throw new Problem('METHOD_NOT_ALLOWED', `This resource supports ${allowed}.`, { headers: { Allow: allowed } });
  },
};

/** Answers 405 to a method that a resource does not allow, with the methods that it allows. Needs no access token. */
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

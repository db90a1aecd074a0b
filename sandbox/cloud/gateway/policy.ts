/**
 * Who may call a method: the API's resource policy together with the authorizer's policy. An explicit Deny of either
 * wins, then an Allow of either is enough, as for callers of the API's own account.
 */
import { BlockList, isIP } from 'node:net';
import { isAllowed, type Statement } from '../iam.ts';

export type PolicyStatements = readonly Readonly<Record<string, unknown>>[];

export interface MethodCall {
  readonly methodArn: string;
  readonly sourceIp: string;
}

export function mayInvoke(statements: PolicyStatements, call: MethodCall): boolean {
  return isAllowed(
    statements.flatMap((statement) => applicable(statement, call)),
    invocation(call),
  );
}

/** Whether a policy refuses the call in any case, so that the authorizer is not asked. */
export function isDenied(statements: PolicyStatements, call: MethodCall): boolean {
  const denying = statements
    .filter(({ Effect }) => Effect === 'Deny')
    .map((statement) => ({ ...statement, Effect: 'Allow' }));
  return mayInvoke(denying, call);
}

function invocation({ methodArn, sourceIp }: MethodCall) {
  return { action: 'execute-api:Invoke', resource: methodArn, context: { 'aws:SourceIp': sourceIp } };
}

/** The statement in IAM's plain form: anyone as principal, full ARNs, and its address conditions already decided. */
function applicable(
  { Principal = '*', ...statement }: Readonly<Record<string, unknown>>,
  call: MethodCall,
): Statement[] {
  if (!['"*"', '{"AWS":"*"}'].includes(JSON.stringify(Principal))) {
    throw new Error('the local gateway knows no principal but *');
  }
  const { IpAddress, NotIpAddress, ...Condition } = (statement['Condition'] ?? {}) as Record<
    string,
    Record<string, string | string[]>
  >;
  const { Resource, ...others } = statement;
  const [api] = call.methodArn.split('/');
  const named = Resource === undefined ? others : { ...others, Resource: expanded(Resource, api) };
  if (JSON.stringify(statement['NotResource'] ?? '').includes('"execute-api:')) {
    throw new Error(
      'the local gateway knows the short form execute-api:/ in Resource only: write the ARN in NotResource',
    );
  }
  const holds =
    (IpAddress === undefined || addressMatches(IpAddress, call.sourceIp)) &&
    (NotIpAddress === undefined || !addressMatches(NotIpAddress, call.sourceIp));
  return holds ? [{ ...(named as unknown as Statement), Condition }] : [];
}

/** API Gateway documents the short form for this element only. */
function expanded(resource: unknown, api = ''): string[] {
  return [resource].flat().map((one) => String(one).replace(/^execute-api:/, api));
}

function addressMatches(condition: Record<string, string | string[]>, sourceIp: string): boolean {
  const { 'aws:SourceIp': ranges = [], ...unknown } = condition;
  if (Object.keys(unknown).length > 0) {
    throw new Error(`the local gateway does not know the condition key ${Object.keys(unknown).join(', ')}`);
  }
  const list = new BlockList();
  for (const range of [ranges].flat()) {
    const [address = '', prefix] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return list.check(sourceIp, isIP(sourceIp) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Who may call a method: the API's resource policy together with what the authorizer answered. An explicit Deny of
 * either wins, then an Allow of either is enough, as for callers of the API's own account.
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

/** Whether a policy refuses the call whatever else is said: the authorizer is then not even asked. */
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
  const [api] = call.methodArn.split('/');
  const resources = [statement['Resource']]
    .flat()
    .map((resource) => String(resource).replace(/^execute-api:/, `${api}`));
  const holds =
    (IpAddress === undefined || addressMatches(IpAddress, call.sourceIp)) &&
    (NotIpAddress === undefined || !addressMatches(NotIpAddress, call.sourceIp));
  return holds ? [{ ...(statement as unknown as Statement), Resource: resources, Condition }] : [];
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

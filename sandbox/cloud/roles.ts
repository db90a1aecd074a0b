/** The template's roles and their rights. Every call of the local cloud is checked and recorded here. */
import { type Call, isAllowed, like, type Statement } from './iam.ts';
import { AwsError } from './seams.ts';
import type { Stack } from './template.ts';

/** One action on one resource: as a call made it, or as a policy grants it, including wildcards. */
export interface Right {
  readonly roleArn: string;
  readonly action: string;
  readonly resource: string;
}

export interface Roles {
  /** Throws AccessDeniedException unless the role's policies allow the call. */
  authorize(roleArn: string, call: Call): void;
  /** Every distinct call allowed so far. */
  allowedCalls(): readonly Right[];
  /** The grants that no call has used so far. */
  unusedGrants(): readonly Right[];
  /** Throws AccessDeniedException unless the function's resource policy lets the service call it for this source. */
  authorizeService(functionArn: string, service: string, sourceArn: string): void;
}

interface PolicyDocument {
  readonly Statement: Statement | readonly Statement[];
}

/** The managed policies that our roles may name; they only let a function write its log. */
const managedPolicies: Readonly<Record<string, readonly Statement[]>> = {
  'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole': [
    { Effect: 'Allow', Action: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'], Resource: '*' },
  ],
};

export function createRoles(stack: Stack): Roles {
  const statementsByRole = new Map<string, readonly Statement[]>();
  for (const [logicalId, { properties }] of stack.ofType('AWS::IAM::Role')) {
    const inline = (properties['Policies'] ?? []) as { readonly PolicyDocument: PolicyDocument }[];
    const managed = (properties['ManagedPolicyArns'] ?? []) as string[];
    statementsByRole.set(stack.attribute(logicalId, 'Arn'), [
      ...inline.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
      ...managed.flatMap(managedPolicy),
      ...attached(stack, stack.ref(logicalId)),
    ]);
  }
  const permissions = [...stack.ofType('AWS::Lambda::Permission').values()].map(({ properties }) => properties);
  const allowed = new Map<string, Right>();

  return {
    authorize(roleArn, call) {
      if (!isAllowed(statementsByRole.get(roleArn) ?? [], call)) {
        const message = `${roleArn} is not authorized to perform: ${call.action} on resource: ${call.resource}`;
        throw new AwsError('AccessDeniedException', message);
      }
      const { action, resource } = call;
      allowed.set(`${roleArn} ${action} ${resource}`, { roleArn, action, resource });
    },
    allowedCalls: () => [...allowed.values()],
    unusedGrants: () =>
      [...statementsByRole]
        .flatMap(([roleArn, statements]) => statements.flatMap((statement) => rightsOf(roleArn, statement)))
        .filter((grant) => ![...allowed.values()].some((call) => covers(grant, call))),
    authorizeService(functionArn, service, sourceArn) {
      const permitted = permissions.some(
        ({ FunctionName, Principal, SourceArn, Action }) =>
          (FunctionName === functionArn || functionArn.endsWith(`:function:${FunctionName}`)) &&
          Action === 'lambda:InvokeFunction' &&
          Principal === service &&
          (SourceArn === undefined || like(String(SourceArn), sourceArn)),
      );
      if (!permitted) {
        const message = `${service} is not authorized to perform: lambda:InvokeFunction on resource: ${functionArn}`;
        throw new AwsError('AccessDeniedException', message, 403);
      }
    },
  };
}

function rightsOf(roleArn: string, { Effect, Action, Resource }: Statement): Right[] {
  if (Effect === 'Deny') {
    return [];
  }
  if (Resource === undefined) {
    throw new Error(
      `${roleArn} may act on whatever it does not name: the local cloud cannot determine which of that it needs`,
    );
  }
  return [Action].flat().flatMap((action) => [Resource].flat().map((resource) => ({ roleArn, action, resource })));
}

function covers(grant: Right, call: Right): boolean {
  return grant.roleArn === call.roleArn && like(grant.action, call.action) && like(grant.resource, call.resource);
}

function managedPolicy(arn: string): readonly Statement[] {
  const statements = managedPolicies[arn];
  if (statements === undefined) {
    throw new Error(`the local cloud does not know the managed policy ${arn}`);
  }
  return statements;
}

function attached(stack: Stack, roleName: string): Statement[] {
  return [...stack.ofType('AWS::IAM::Policy').values()]
    .filter(({ properties }) => ((properties['Roles'] ?? []) as string[]).includes(roleName))
    .flatMap(({ properties }) => (properties['PolicyDocument'] as PolicyDocument).Statement);
}

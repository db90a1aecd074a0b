/**
 * The firewall in front of the API: it blocks too many requests from one address, known attacks, and oversized bodies.
 * It writes no log, because a log would contain the path of each request.
 */
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';

export interface FirewallProps {
  readonly environmentName: string;
  readonly settings: NonNullable<Environment['firewall']>;
  readonly stageArn: string;
}

/** The largest body of any route is that of a webhook; functions refuse what is too large for their own route. */
const MAX_BODY_BYTES = 65_536;
/**
 * Managed rules that only count: functions check bodies up to 16 kB themselves, and a caller without a User-Agent is
 * usually a server, which is normal here.
 */
const COUNTED_ONLY = ['SizeRestrictions_BODY', 'NoUserAgent_HEADER'];

export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { environmentName: name, settings, stageArn }: FirewallProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      name: `tillflow-${name}`,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: metric('All'),
      associationConfig: { requestBody: { API_GATEWAY: { defaultSizeInspectionLimit: 'KB_64' } } },
      rules: [
        rule(0, 'TooManyRequests', {
          rateBasedStatement: { limit: settings.requestsPerAddress, aggregateKeyType: 'IP' },
        }),
        rule(1, 'BodyTooLarge', {
          sizeConstraintStatement: {
            fieldToMatch: { body: { oversizeHandling: 'MATCH' } },
            comparisonOperator: 'GT',
            size: MAX_BODY_BYTES,
            textTransformations: [{ priority: 0, type: 'NONE' }],
          },
        }),
        {
          name: 'CommonAttacks',
          priority: 2,
          overrideAction: { none: {} },
          visibilityConfig: metric('CommonAttacks'),
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name: 'AWSManagedRulesCommonRuleSet',
              ruleActionOverrides: COUNTED_ONLY.map((counted) => ({ name: counted, actionToUse: { count: {} } })),
            },
          },
        },
      ],
    });
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stageArn, webAclArn: acl.attrArn });
  }
}

function rule(priority: number, name: string, statement: CfnWebACL.StatementProperty): CfnWebACL.RuleProperty {
  return { name, priority, action: { block: {} }, statement, visibilityConfig: metric(name) };
}

/** Without samples of requests, because they would show paths and headers. */
function metric(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}

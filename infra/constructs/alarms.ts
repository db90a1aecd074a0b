/**
 * The alarms. Every description says what the alarm means for payers and merchants and what to do, so that the person
 * on call does not need to know this repository. Refusals, cancelled sales and single retries raise no alarm.
 */
import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, type IMetric, MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { type ErrorName, errorName } from '../../shared/flow/errors.ts';
import type { Environment } from '../environments.ts';
import { type BackgroundName, backgroundNames, endpointNames, type FunctionName, stepNames } from '../functions.ts';
import { type FlowFunction, METRICS_NAMESPACE } from './flow-function.ts';

export interface AlarmsProps {
  readonly environment: Environment;
  readonly machine: StateMachine;
  readonly api: RestApi;
  readonly functionOf: (name: FunctionName) => FlowFunction;
}

interface AlarmProps {
  /** The sum over five minutes. */
  readonly metric: IMetric;
  /** The alarm is raised at this sum. */
  readonly threshold: number;
  /** What it means for payers and merchants. */
  readonly impact: string;
  /** What the person on call does first. */
  readonly action: string;
}

const period = Duration.minutes(5);
const statistic = Stats.SUM;

export class Alarms extends Construct {
  /** The operator subscribes to it. */
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { topicName: `tillflow-${props.environment.name}-alarms`, enforceSSL: true });
    this.#watchMachine(props);
    this.#watchSteps(props);
    this.#watchApi(props);
    this.#watchReconciliation(props);
  }

  #watchMachine({ machine }: AlarmsProps): void {
    this.#alarm('ExecutionsFailed', {
      metric: machine.metricFailed({ period, statistic }),
      threshold: 1,
      impact: 'A sale or charge stopped because of a fault of ours, or its failure could not be recorded.',
      action: 'Open the failed execution; its cause names the state. Fix the cause, then correct the resource by hand.',
    });
    this.#alarm('ExecutionsThrottled', {
      metric: machine.metricThrottled({ period, statistic }),
      threshold: 1,
      impact: 'Sales start late. A sale that is 30 seconds late is not sent to its terminal at all.',
      action: 'Ask AWS for a higher state transition limit, and find out what starts so many executions.',
    });
  }

  #watchSteps({ environment, functionOf }: AlarmsProps): void {
    const namespace = `tillflow/${environment.name}`;
    const metricName = 'StepErrors';
    for (const step of stepNames) {
      new MetricFilter(functionOf(step), 'Errors', {
        logGroup: functionOf(step).logGroup,
        filterPattern: FilterPattern.exists('$.errorName'),
        metricNamespace: namespace,
        metricName,
        dimensions: { errorName: '$.errorName' },
      });
    }
    const errors = (name: ErrorName) =>
      new Metric({ namespace, metricName, dimensionsMap: { errorName: name }, period, statistic });
    this.#alarm('StepFaults', {
      metric: errors(errorName.fault),
      threshold: 1,
      impact:
        'A sale or charge failed or needs review, because our data or the platform’s answers are not as expected.',
      action:
        'Search the logs of the steps for FaultError. Its code says what is wrong, such as credentials or an account setting.',
    });
    this.#alarm('OutcomesUnknown', {
      metric: errors(errorName.unknown),
      threshold: 1,
      impact: 'A payer may have been charged, and we do not know it yet. Nothing is sent a second time.',
      action:
        'List the charges with status needs_review and compare them with the platform’s own list of transactions.',
    });
    this.#alarm('PlatformTrouble', {
      metric: errors(errorName.transient),
      threshold: 50,
      impact:
        'Sales and charges are slow or end unsent, because the platform refuses connections or answers with errors.',
      action:
        'Check the platform’s status page. Nothing has to be repaired here; storefronts can repeat what was not sent.',
    });
  }

  #watchApi({ api, functionOf }: AlarmsProps): void {
    this.#alarm('ApiErrors', {
      metric: api.metricServerError({ period, statistic }),
      threshold: 3,
      impact: 'Storefronts get 5xx answers. Sales are not started, or their state cannot be read.',
      action: 'Find the requests in the access log by status. The request id leads to the log of the function.',
    });
    this.#alarm('WebhooksGivenUp', {
      metric: new Metric({
        namespace: METRICS_NAMESPACE,
        metricName: 'WebhookGivenUp',
        dimensionsMap: { service: 'act-on-webhook' },
        period,
        statistic,
      }),
      threshold: 1,
      impact: 'The platform could not be read for a day after it sent a webhook. A payment may be shown as open.',
      action: 'Run npm run webhooks -- list to see which webhooks and why. Repair the cause, then replay them.',
    });
    // The authorizer answers 401 by an error.
    for (const name of endpointNames.filter((endpoint) => endpoint !== 'authorizer')) {
      this.#alarm(`Errors-${name}`, {
        metric: functionOf(name).function.metricErrors({ period, statistic }),
        threshold: 1,
        impact: `Storefronts get 5xx answers from ${name}, because it crashed or timed out.`,
        action:
          'Read the function’s log at that time. The caller can safely repeat the request with the same idempotency key.',
      });
    }
    this.#alarm('FunctionsThrottled', {
      metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', period, statistic }),
      threshold: 10,
      impact: 'The account has no free concurrency. Requests get 5xx answers, and steps wait.',
      action: 'Find the function that uses it, in any stack of the account, or ask AWS for a higher limit.',
    });
  }

  #watchReconciliation({ functionOf }: AlarmsProps): void {
    const counted = (metricName: string, service: BackgroundName) =>
      new Metric({ namespace: METRICS_NAMESPACE, metricName, dimensionsMap: { service }, period, statistic });
    this.#alarm('NeedsReview', {
      metric: new MathExpression({
        expression: 'FILL(due, 0) + FILL(ended, 0) + FILL(webhook, 0) + FILL(found, 0)',
        usingMetrics: {
          due: counted('NeedsReview', 'reconcile-due'),
          ended: counted('NeedsReview', 'handle-execution-end'),
          webhook: counted('NeedsReview', 'act-on-webhook'),
          found: counted('NeedsReview', 'read-daily-lists'),
        },
        period,
      }),
      threshold: 1,
      impact:
        'A sale, charge or RF order needs a decision by a person, a payment succeeded after it was reported as refused, or RF codes are wrong (RF_CODE_INVALID).',
      action: 'Run npm run reviews -- list to see what needs review and why. Compare it with the platform’s own list.',
    });
    this.#alarm('DayTooLarge', {
      metric: counted('DayTooLarge', 'read-daily-lists'),
      threshold: 1,
      impact: 'A merchant has more payments a day than one list holds. Reversals without a webhook are not found.',
      action:
        'Compare the merchant’s day with the platform’s portal. The log of read-daily-lists names merchant and day.',
    });
    this.#alarm('DeliveriesDead', {
      metric: counted('DeliveryDead', 'deliver-event'),
      threshold: 1,
      impact: 'A storefront did not accept a callback about a payment for three days, so the callback was given up.',
      action:
        'Inform the developer of the storefront. When its address works again, run npm run deliveries -- redrive.',
    });
    for (const name of backgroundNames) {
      this.#alarm(`Errors-${name}`, {
        metric: functionOf(name).function.metricErrors({ period, statistic }),
        threshold: 3,
        impact: `${name} fails repeatedly. Changes of payments are found and published late, or not at all.`,
        action: 'Read the function’s log at that time. Its open items stay due and are retried every five minutes.',
      });
    }
  }

  #alarm(id: string, { metric, threshold, impact, action }: AlarmProps): void {
    new Alarm(this, id, {
      alarmDescription: `Impact: ${impact} Action: ${action} (docs/operations.md)`,
      metric,
      threshold,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    }).addAlarmAction(new SnsAction(this.topic));
  }
}

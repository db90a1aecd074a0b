/**
 * What wakes a person. Every alarm says what it means for payers and merchants and what to do about it, in its own
 * description, so that nobody has to know this repository at night. A refusal, a cancelled sale or one retry is none.
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
  /** Sum over five minutes. */
  readonly metric: IMetric;
  /** That many in five minutes raise the alarm. */
  readonly threshold: number;
  /** What it means for payers and merchants. */
  readonly impact: string;
  /** What whoever is woken does first. */
  readonly action: string;
}

const period = Duration.minutes(5);
const statistic = Stats.SUM;

export class Alarms extends Construct {
  /** Subscribing to it is the operator's part. */
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
      impact: 'A sale or charge stopped because of a fault of ours, or its failure could not be written down.',
      action: 'Open the failed execution: its error names the state. Fix the cause, then settle the resource by hand.',
    });
    this.#alarm('ExecutionsThrottled', {
      metric: machine.metricThrottled({ period, statistic }),
      threshold: 1,
      impact: 'Sales start late, and later than 30 seconds after the request not at all.',
      action: 'Ask AWS for a higher state transition limit; find out what starts so many executions.',
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
      impact: 'A sale or charge ended failed or needs review: our data, or the platform’s answers, are not as agreed.',
      action:
        'Search the step logs for FaultError: its code says what broke, such as credentials or an account setting.',
    });
    this.#alarm('OutcomesUnknown', {
      metric: errors(errorName.unknown),
      threshold: 1,
      impact: 'A payer may have been charged and we do not know yet. Nothing is sent a second time.',
      action: 'List charges with status needs_review and compare them with the platform’s own list of transactions.',
    });
    this.#alarm('PlatformTrouble', {
      metric: errors(errorName.transient),
      threshold: 50,
      impact: 'Sales and charges take long or end unsent: the platform refuses connections or answers with errors.',
      action: 'Look at the platform’s status page. Nothing to repair here: what was not sent can be asked for again.',
    });
  }

  #watchApi({ api, functionOf }: AlarmsProps): void {
    this.#alarm('ApiErrors', {
      metric: api.metricServerError({ period, statistic }),
      threshold: 3,
      impact: 'Storefronts get 5xx answers: sales are not started, or their state cannot be read.',
      action: 'Find the requests in the access log by status; the request id leads to the function’s log.',
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
      impact: 'For a day the platform could not be read about something it told us: a payment may be shown as open.',
      action: 'npm run webhooks -- list shows which, and why. Repair the cause, then replay it.',
    });
    // The authorizer's error is how it says 401.
    for (const name of endpointNames.filter((endpoint) => endpoint !== 'authorizer')) {
      this.#alarm(`Errors-${name}`, {
        metric: functionOf(name).function.metricErrors({ period, statistic }),
        threshold: 1,
        impact: `Storefronts get 5xx answers from ${name}: it crashed or ran out of time.`,
        action: 'Read the function’s log at that time; a repeat with the same idempotency key is safe for the caller.',
      });
    }
    this.#alarm('FunctionsThrottled', {
      metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', period, statistic }),
      threshold: 10,
      impact: 'The account has no free concurrency: requests get 5xx answers, and steps wait.',
      action: 'Find the function that uses it up, in any stack of the account; ask AWS for a higher limit.',
    });
  }

  #watchReconciliation({ functionOf }: AlarmsProps): void {
    const counted = (metricName: string, service: BackgroundName) =>
      new Metric({ namespace: METRICS_NAMESPACE, metricName, dimensionsMap: { service }, period, statistic });
    this.#alarm('NeedsReview', {
      metric: new MathExpression({
        expression: 'FILL(due, 0) + FILL(ended, 0) + FILL(told, 0) + FILL(found, 0)',
        usingMetrics: {
          due: counted('NeedsReview', 'reconcile-due'),
          ended: counted('NeedsReview', 'handle-execution-end'),
          told: counted('NeedsReview', 'act-on-webhook'),
          found: counted('NeedsReview', 'read-daily-lists'),
        },
        period,
      }),
      threshold: 1,
      impact:
        'A sale, charge or RF order cannot be decided by itself, a payment went through after it was told as refused, or RF codes are wrong (RF_CODE_INVALID).',
      action: 'npm run reviews -- list shows what and why: compare it with the platform’s own list.',
    });
    this.#alarm('DayTooLarge', {
      metric: counted('DayTooLarge', 'read-daily-lists'),
      threshold: 1,
      impact: 'A merchant has more payments a day than one list holds: reversals that no webhook told are not found.',
      action:
        'Compare the merchant’s day with the platform’s portal; the log of read-daily-lists names merchant and day.',
    });
    this.#alarm('DeliveriesDead', {
      metric: counted('DeliveryDead', 'deliver-event'),
      threshold: 1,
      impact: 'A storefront was not told for three days how a payment ended: its callback address takes nothing.',
      action: 'Tell its developer; when it works again: npm run deliveries -- redrive.',
    });
    for (const name of backgroundNames) {
      this.#alarm(`Errors-${name}`, {
        metric: functionOf(name).function.metricErrors({ period, statistic }),
        threshold: 3,
        impact: `${name} fails again and again: what became of payments is seen and told late, or not at all.`,
        action: 'Read the function’s log at that time; what it left is due and taken again every five minutes.',
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

/** The middleware that publishes an invocation's metrics, with its cold start; one without metrics writes nothing. */
import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';

export function publishMetrics<Event, Result>(metrics: Metrics): MiddlewareObj<Event, Result, Error, Context> {
  const publish = () => {
    // Powertools would warn that there is nothing to publish.
    if (metrics.hasStoredMetrics()) {
      metrics.publishStoredMetrics();
    }
  };
  return {
    before: ({ context }) => metrics.captureColdStartMetric(context.functionName),
    after: publish,
    onError: publish,
  };
}

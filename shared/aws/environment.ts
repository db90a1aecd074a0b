/** Environment variables of a function, and the time-outs of its AWS clients. */

/** Throws an Error with the variable's name if it is not set. Call it at init, so that a deployment fails early. */
export function environmentVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`the environment variable ${name} is not set`);
  }
  return value;
}

/**
 * The configuration of every AWS client: short time-outs and more attempts than the default. A connection that broke while
 * the function was frozen must not use up the time for writing the outcome of a payment.
 */
export const awsClient = {
  maxAttempts: 5,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

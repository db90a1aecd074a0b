/** The environment variables of functions, and the time-outs of their AWS clients. */

/** Throws at init if a variable is missing, and names it. */
export function environmentVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`the environment variable ${name} is not set`);
  }
  return value;
}

/**
 * For every AWS client. A connection may have died while the function was frozen, and must not use up the time that is
 * needed to write down the outcome of a payment. So time-outs are short, and there are more attempts than usual.
 */
export const awsClient = {
  maxAttempts: 5,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

/** What functions take from Lambda's environment, and how patient their AWS clients are. */

/** Throws at init when the template forgot a variable, naming it. */
export function environmentVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`the environment variable ${name} is not set`);
  }
  return value;
}

/**
 * For every AWS client. A connection that died while the function was frozen must not eat the time that is kept for
 * writing down what a payment came to: so short time-outs, and more attempts than usual.
 */
export const awsClient = {
  maxAttempts: 5,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

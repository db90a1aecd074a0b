/** The preference `wait` of the header Prefer (RFC 7240). A preference that cannot be understood is none. */

export const MAX_WAIT_SECONDS = 20;
const WAIT = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;|$)/i;

/** Seconds, as far as they are granted. Of several, the first counts. */
export function waitPreference(prefer: readonly string[]): number | undefined {
  const asked = prefer
    .flatMap((value) => value.split(','))
    .map((preference) => WAIT.exec(preference)?.[1])
    .find((seconds) => seconds !== undefined);
  return asked === undefined ? undefined : Math.min(Number(asked), MAX_WAIT_SECONDS);
}

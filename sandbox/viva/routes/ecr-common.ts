/**
 * What all endpoints of the terminal service share: its two base paths, and the event ids in the headers of its
 * answers.
 */

/** Merchants and ISVs have the same endpoints under different paths. */
export const ECR_BASES = [
  ['/ecr/v1', 'pos'],
  ['/ecr/isv/v1', 'isv'],
] as const;

/** Event ids in the header: the result of the terminal service, not of the payment. */
export const ECR_EVENT_ID = {
  created: 1100,
  returned: 1102,
  listed: 1103,
  abortAccepted: 1104,
  devices: 1106,
  invalid: 1200,
  duplicate: 1201,
  noParent: 1203,
  unfinished: 1204,
  notFound: 1205,
  wrongRegister: 1206,
  alreadyAborted: 1208,
};

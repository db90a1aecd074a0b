/**
 * RF Payment Codes: what the payer writes into a bank transfer. A wrong digit sends money nowhere, so no code is shown
 * whose ISO 11649 check digits do not fit. The platform's documents say 20 digits, its real codes have 23: both are
 * accepted.
 */
const RF_CODE = /^RF(?:\d{20}|\d{23})$/;

export function isRfCode(code: string): boolean {
  return RF_CODE.test(code) && remainder97(code) === 1;
}

/** `RF12 3456 …`: as printed for a person to copy. */
export function groupRfCode(code: string): string {
  return code.replace(/.{4}(?=.)/g, '$& ');
}

/** ISO 11649: the first four characters go to the end, letters count from A = 10. */
function remainder97(code: string): number {
  const digits = `${code.slice(4)}${code.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(parseInt(letter, 36)));
  return Number(BigInt(digits) % 97n);
}

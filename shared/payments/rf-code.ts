/**
 * RF Payment Codes, which the payer writes into a bank transfer. A code is shown only if its ISO 11649 check digits are
 * right. Codes with 20 and with 23 digits are accepted (docs/viva.md, "RF codes").
 */
const RF_CODE = /^RF(?:\d{20}|\d{23})$/;

export function isRfCode(code: string): boolean {
  return RF_CODE.test(code) && remainder97(code) === 1;
}

/** `RF12 3456 …`: groups of four, for people who copy it. */
export function groupRfCode(code: string): string {
  return code.replace(/.{4}(?=.)/g, '$& ');
}

/** ISO 11649: the first four characters are put at the end, and letters count from A = 10. */
function remainder97(code: string): number {
  const digits = `${code.slice(4)}${code.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(parseInt(letter, 36)));
  return Number(BigInt(digits) % 97n);
}

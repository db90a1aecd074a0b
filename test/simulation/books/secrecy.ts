/** Secrets and personal data carry a mark. It may be stored, and sent to the platform, but must appear nowhere else. */
import type { Violation } from './at-rest.ts';

const SECRET = 'CANARY';
const PERSONAL = 'PAYERDATA';

/** The mark as it is, and as Base64 shows it at each of the three places that it can have in a group of bytes. */
function formsOf(mark: string): readonly string[] {
  const encoded = [0, 1, 2].map((before) => {
    const text = Buffer.from(`${' '.repeat(before)}${mark}`).toString('base64');
    return text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + mark.length) * 4) / 3)).replaceAll('=', '');
  });
  return [mark, ...encoded];
}

const secrets = formsOf(SECRET);
const all = [...secrets, ...formsOf(PERSONAL)];

/** `places`: what was written down or shown, by where. Items may hold personal data. */
export function violationsOfSecrecy(places: Readonly<Record<string, readonly string[]>>): Violation[] {
  return Object.entries(places).flatMap(([place, texts]) =>
    texts
      .filter((text) => (place === 'items' ? secrets : all).some((form) => text.includes(form)))
      .slice(0, 3)
      .map((text) => ({ invariant: 'secretsStay' as const, id: place, what: `shows a secret: ${text.slice(0, 300)}` })),
  );
}

/** Greek time. The platform dates transactions by the day in Athens and writes local times, some without a zone. */
const format = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Athens',
  dateStyle: 'short',
  timeStyle: 'medium',
});
const zone = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Athens', timeZoneName: 'longOffset' });

/** `YYYY-MM-DD` in Athens. */
export function athensDay(ms: number): string {
  return format.format(ms).slice(0, 10);
}

/** Without a zone, as in webhooks: `2026-11-21T13:00:00`. */
export function athensLocal(ms: number): string {
  return format.format(ms).replace(' ', 'T');
}

/** With its offset, as in transaction answers: `2026-11-21T13:00:00+02:00`. */
export function athensTime(ms: number): string {
  const offset = zone.formatToParts(ms).find((part) => part.type === 'timeZoneName')?.value;
  return `${athensLocal(ms)}${offset?.replace('GMT', '')}`;
}

/** Where `npm run planted` leaves its results for the report. */
export const PLANTED = 'coverage/planted.json';

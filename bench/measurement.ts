/** One line of the report. */
export interface Measurement {
  readonly what: string;
  readonly budget: number;
  readonly value: number;
  readonly unit: string;
}

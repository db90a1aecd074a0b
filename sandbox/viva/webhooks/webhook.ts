/** One webhook on its way to a recipient. */
export interface Webhook {
  readonly messageId: string;
  readonly eventTypeId: number;
  readonly recipient: string;
  readonly createdMs: number;
  readonly correlationId: string;
  readonly eventData: unknown;
  /** `status` is null when nothing answered. */
  readonly attempts: { readonly at: string; readonly status: number | null }[];
}

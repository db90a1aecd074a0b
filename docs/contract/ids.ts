/** Ids of the examples: the same sale, card and order everywhere, so that the examples tell one story. */
export const merchantId = '0b9f3c2e-7a41-4d86-9c55-1e2f3a4b5c6d';
export const saleId = '7e6c1d9a-3b52-4f08-8e17-2a6b4c8d0e1f';
export const chargeId = 'c41f0a7b-92d3-4e65-b8a1-5d7e9f013a2c';
export const captureId = '2f8d6b1c-04a9-4c37-9e5b-8a1d3f5c7e90';
export const refundId = '9a3e5c7d-1b2f-4a68-8d0c-6e4f2a1b3c5d';
export const rfOrderId = '5d2b8f4e-6c1a-4793-a0e8-3f9d7b5c1a24';
export const cardId = 'card_3f1e5a7c9b2d4f60818a2c4e6b8d0f13';
export const transactionId = '6f1f2e3d-4c5b-4a69-8877-665544332211';
export const chargeTransactionId = '8b7a6c5d-4e3f-4211-90ab-cdef01234567';
export const captureTransactionId = 'e5d4c3b2-a190-4f8e-9d7c-6b5a43210fed';
export const eventId = '5b0f7c1e-2d3a-4896-b1c0-9e8d7f6a5b4c';
export const requestId = 'f3b1a7d2-58c4-4e0b-9d61-7a2c5e8f0b34';

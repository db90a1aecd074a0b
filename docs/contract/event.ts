/** What is posted to callback addresses and put on the event bus, in words. */
import { cloudEvent, cloudEventData } from '../../shared/api/schemas/event.ts';
import { component } from './component.ts';
import { chargeId, eventId, merchantId, rfOrderId, saleId, transactionId } from './ids.ts';

const dataExample = { merchantId, saleId, chargeId, rfOrderId, transactionId, status: 'paid' };

export const eventComponents = {
  EventData: component(cloudEventData, {
    is: 'Which resource came to which end. Read the resource for the rest.',
    of: {
      merchantId: 'The merchant that the resource belongs to.',
      saleId: 'The id of the sale. Present for a sale, and for a charge that belongs to one.',
      chargeId: 'The id of the charge. Present for a charge, and for a sale that has one.',
      rfOrderId: 'The id of the RF order. Present for an RF order.',
      transactionId: 'The platform’s id of the transaction, if there is one.',
      status: 'The status that the resource came to.',
    },
    example: dataExample,
  }),
  Event: component(cloudEvent, {
    is: 'A CloudEvent: a sale, a charge or an RF order came to an end state.',
    of: {
      specversion: 'The version of the CloudEvents specification.',
      id: 'The same on every attempt. Drop an id that you have seen.',
      source: 'Who sends it.',
      type: '`tillflow.{sale|charge|rf-order}.<status>.v1`',
      time: 'When the resource came to the status.',
      subject: 'The id of the sale, charge or RF order.',
      datacontenttype: 'The type of `data`.',
      data: 'Which resource came to which end.',
    },
    example: {
      specversion: '1.0',
      id: eventId,
      source: 'tillflow',
      type: 'tillflow.sale.paid.v1',
      time: '2026-11-21T10:00:07.412Z',
      subject: saleId,
      datacontenttype: 'application/json',
      data: dataExample,
    },
  }),
};

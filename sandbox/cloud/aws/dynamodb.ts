/** DynamoDB behind the policy check: table, index, leading keys, and the customer-managed key of the table. */
import type { Call } from '../iam.ts';
import { tableAccess } from './table-access.ts';
import type { TableAnswer, Tables } from './tables.ts';

export interface TableCall {
  readonly operation: string;
  readonly body: string;
  readonly authorize: (call: Call) => void;
  /** Reports how many items a call wrote. */
  readonly onWrites: (count: number) => void;
}

export function dynamoDb(tables: Tables, region: string): (call: TableCall) => Promise<TableAnswer> {
  return async ({ operation, body, authorize, onWrites }) => {
    const accesses = tableAccess(operation, JSON.parse(body), tables.definitions);
    for (const { table, resource, leadingKeys } of accesses) {
      const context = { 'dynamodb:LeadingKeys': leadingKeys };
      authorize({ action: `dynamodb:${operation}`, resource, context });
      if (table.keyArn !== undefined && operation !== 'DescribeTable') {
        const viaService = { 'kms:ViaService': `dynamodb.${region}.amazonaws.com` };
        authorize({ action: 'kms:Decrypt', resource: table.keyArn, context: viaService });
      }
    }
    const answer = await tables.request(operation, body);
    if (answer.status === 200) {
      onWrites(accesses.reduce((sum, { writes }) => sum + writes, 0));
    }
    return answer;
  };
}

/** Accepts a finding of the security checks with a reason. The id of the finding may name the exact wildcard that it accepts. */
import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}

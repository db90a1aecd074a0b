/** Says why a finding of the security checks is right as it is; the finding's id may name the exact wildcard it accepts. */
import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}

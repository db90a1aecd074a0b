import { afterEach, expect, it } from 'vitest';
import { loadStack } from '../../../../sandbox/cloud/template.ts';
import { type Assembly, type AssemblyInput, writeAssembly } from '../../../flow/cloud-assembly.ts';

let assembly: Assembly | undefined;
afterEach(() => assembly?.remove());

function load(input: AssemblyInput, parameters: Record<string, string> = {}) {
  assembly = writeAssembly(input);
  return loadStack({ ...assembly, parameters });
}

const bus = (Name: unknown) => ({ Type: 'AWS::Events::EventBus', Properties: { Name } });

it('names resources as in the template, or else by stack and logical id', () => {
  const stack = load({
    resources: {
      Named: { Type: 'AWS::Lambda::Function', Properties: { FunctionName: 'sale' } },
      Unnamed: { Type: 'AWS::Lambda::Function' },
    },
  });

  expect(stack.ref('Named')).toBe('sale');
  expect(stack.attribute('Unnamed', 'Arn')).toBe('arn:aws:lambda:eu-central-1:000000000000:function:shop-Unnamed');
});

it('resolves the functions that CDK writes', () => {
  const stack = load({
    parameters: { Url: { Default: 'http://a/b' } },
    resources: { Bus: bus('shop') },
    outputs: {
      Join: { Value: { 'Fn::Join': ['-', [{ Ref: 'Bus' }, { Ref: 'AWS::Region' }]] } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own placeholders.
      Sub: { Value: { 'Fn::Sub': '${Bus.Arn}|${Url}|${AWS::AccountId}' } },
      Select: { Value: { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'Url' }] }] } },
      Stack: { Value: { Ref: 'AWS::StackId' } },
    },
  });

  expect(stack.outputs).toMatchObject({
    Join: 'shop-eu-central-1',
    Sub: 'arn:aws:events:eu-central-1:000000000000:event-bus/shop|http://a/b|000000000000',
    Select: 'a',
    Stack: expect.stringMatching(/^arn:aws:cloudformation:.*:stack\/shop\/[0-9a-f-]{36}$/),
  });
});

it('prefers a given parameter to its default, and requires one without a default', () => {
  const resources = { Bus: bus({ Ref: 'Name' }) };

  expect(load({ parameters: { Name: { Default: 'a' } }, resources }, { Name: 'b' }).ref('Bus')).toBe('b');
  expect(() => load({ parameters: { Name: {} }, resources })).toThrow('parameter Name');
  expect(() => load({ resources: {} }, { Other: 'x' })).toThrow('no parameter Other');
});

it('leaves the condition of a policy statement unchanged', () => {
  const Condition = { StringEquals: { 'kms:ViaService': 'dynamodb' } };
  const stack = load({ resources: { Role: { Type: 'AWS::IAM::Role', Properties: { Policies: [{ Condition }] } } } });

  expect(stack.ofType('AWS::IAM::Role').get('Role')?.properties).toEqual({ Policies: [{ Condition }] });
});

it.each([
  ['a resource type', { Queue: { Type: 'AWS::SQS::Queue' } }, 'AWS::SQS::Queue (Queue)'],
  ['an intrinsic function', { Bus: bus({ 'Fn::ImportValue': 'x' }) }, 'Fn::ImportValue'],
  ['an attribute', { Bus: bus('a'), Other: bus({ 'Fn::GetAtt': ['Bus', 'Policy'] }) }, 'attribute Policy of Bus'],
  ['a resource', { Bus: bus({ Ref: 'Nobody' }) }, 'Nobody'],
])('fails on %s that it does not know, and names it', (_, resources, message) => {
  expect(() => load({ resources })).toThrow(message);
});

it('gives names to resources that it deliberately ignores', () => {
  const stack = load({
    resources: {
      Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties: { 'Fn::Unheard': [] } },
      Logs: { Type: 'AWS::Logs::LogGroup' },
    },
    outputs: { Arn: { Value: { 'Fn::GetAtt': ['Logs', 'Arn'] } } },
  });

  expect(stack.ofType('AWS::CloudWatch::').size).toBe(0);
  expect(stack.outputs['Arn']).toBe('arn:aws:logs:eu-central-1:000000000000:log-group:shop-Logs:*');
});

/**
 * `npm run accounts`: adds a merchant without a deployment, and checks that its credentials work. Uses the AWS
 * credentials and region of the shell. Every command can be repeated.
 */
import { readFile } from 'node:fs/promises';
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type * as z from 'zod';
import { createCredentials, isvOwner, secretName } from '../shared/viva/credentials.ts';
import { credentialsFile, isvCredentialsFile, parseFile, settingsFile } from './account-files.ts';
import { checkAccount } from './check-account.ts';
import { environmentNames, print, runCommand, UsageError } from './command.ts';

const HELP = `Usage: npm run accounts -- put <merchantId> --environment <name> [--settings <file>] [--credentials <file>]
       npm run accounts -- put isv --environment <name> --credentials <file>
       npm run accounts -- check <merchantId> --environment <name>

put    writes the settings (DynamoDB) and the credentials (Secrets Manager) of an account, or the ISV's credentials
check  tries every credential set against the platform and reports what is missing

Environments: ${environmentNames}. The files are described in docs/operations.md.`;

await runCommand(HELP, ['settings', 'credentials'], async ({ positionals, values, environment, payments }) => {
  const [command, owner] = positionals;
  if (owner === undefined || (command !== 'put' && command !== 'check')) {
    throw new UsageError();
  }
  const secrets = new SecretsManagerClient({ region: environment.region });
  const prefix = `tillflow/${environment.name}`;

  if (command === 'check') {
    const account = await payments.get('account', owner);
    if (account === undefined) {
      throw new Error(`There is no account ${owner} in ${environment.name}. Add it with put.`);
    }
    const findings = await checkAccount(account, createCredentials(secrets, prefix), environment.platform);
    for (const { set, ok, says } of findings) {
      print(`${ok ? 'ok     ' : 'MISSING'}  ${set.padEnd(14)} ${says}`);
    }
    return findings.every(({ ok }) => ok) ? 0 : 1;
  }

  const credentials = await fileIn(owner === isvOwner ? isvCredentialsFile : credentialsFile, values['credentials']);
  const settings = await fileIn(settingsFile(environment.callbacks), values['settings']);
  if (credentials !== undefined) {
    await putSecret(secrets, secretName(prefix, owner), JSON.stringify(credentials));
    print(`The credentials of ${owner} were written.`);
  }
  if (settings !== undefined && owner !== isvOwner) {
    const { industry, callbackUrl, ...rest } = settings;
    const account = { ...rest, merchantId: owner, ...(industry && { industry }), ...(callbackUrl && { callbackUrl }) };
    if (!(await payments.create('account', owner, account, { listed: false }))) {
      await payments.change('account', owner, () => ({ industry, callbackUrl, ...account }));
    }
    print(`The settings of ${owner} were written.`);
  }
  return 0;
});

/** Both files are read before either is written. */
async function fileIn<T extends z.ZodType>(schema: T, name: string | undefined): Promise<z.output<T> | undefined> {
  return name === undefined ? undefined : parseFile(schema, name, await readFile(name, 'utf8'));
}

async function putSecret(secrets: SecretsManagerClient, name: string, value: string): Promise<void> {
  try {
    await secrets.send(new CreateSecretCommand({ Name: name, SecretString: value }));
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ResourceExistsException')) {
      throw error;
    }
    await secrets.send(new PutSecretValueCommand({ SecretId: name, SecretString: value }));
  }
}

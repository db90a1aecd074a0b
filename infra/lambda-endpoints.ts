/**
 * Replaces the endpoint discovery of the DynamoDB client in every bundle. Discovery is off, and its cache would add 8
 * kB to each bundle.
 */
const off = () => false;

export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector: off, configFileSelector: off };

export const resolveEndpointDiscoveryConfig = <T>(config: T): T => config;

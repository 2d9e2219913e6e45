/**
 * What the document leaves open and the sandbox therefore lets you choose. One row a choice, with the entry of the
 * register in `spec/acceptance.md` (or the chapter of the document) that it settles.
 */

export interface SandboxSettings {
  /**
   * U3: status with which historical statements are accepted; the document says both.
   * @default 201
   */
  historicalStatementStatus: 200 | 201;
  /**
   * U13: when a `business_contract_identifier` without such a contract is refused with 400.
   * @default 'stage-and-process'
   */
  missingBusinessContract: 'stage-and-process' | 'process' | 'never';
  /**
   * Limits: how many process calls may run at the same time; more get 429. A whole number from 1, or null for no limit.
   * @default null
   */
  processConcurrency: number | null;
  /**
   * U28: value of Retry-After on 429 in whole seconds, or null for no such header.
   * @default null
   */
  retryAfterSeconds: number | null;
  /**
   * Limits: how many supply points a second are looked up with the registries.
   * @default 10
   */
  lookupsPerSecond: number;
  /**
   * U27: how long a token from the GraphQL call is valid, in seconds of the sandbox's clock; null for ever.
   * `sandbox.token` never ends.
   * @default null
   */
  tokenLifetimeSeconds: number | null;
  /**
   * U27: path of the GraphQL interface.
   * @default '/v1/graphql/'
   */
  graphqlPath: string;
  /**
   * U27: name of the mutation that gives a token.
   * @default 'obtainToken'
   */
  tokenMutation: string;
  /**
   * U27: where the API key stands among the GraphQL variables, as a dotted path.
   * @default 'input.apiKey'
   */
  apiKeyVariable: string;
}

interface Setting<Value> {
  /** Entry of the register, or chapter of the document. */
  readonly settles: string;
  readonly default: Value;
  /** What a value must be, as a sentence, and whether it is. */
  readonly must: string;
  readonly accepts: (value: unknown) => boolean;
}

const oneOf = (...values: readonly unknown[]) => ({
  must: `be one of ${values.join(', ')}`,
  accepts: (value: unknown) => values.includes(value),
});

const wholeOrNull = (least: number) => ({
  must: `be null or a whole number from ${least}`,
  accepts: (value: unknown) => value === null || (Number.isInteger(value) && Number(value) >= least),
});

const matching = (pattern: RegExp, must: string) => ({
  must,
  accepts: (value: unknown) => typeof value === 'string' && pattern.test(value),
});

const SETTINGS: { readonly [Name in keyof SandboxSettings]: Setting<SandboxSettings[Name]> } = {
  historicalStatementStatus: { settles: 'U3', default: 201, ...oneOf(200, 201) },
  missingBusinessContract: {
    settles: 'U13',
    default: 'stage-and-process',
    ...oneOf('stage-and-process', 'process', 'never'),
  },
  processConcurrency: { settles: 'Limits', default: null, ...wholeOrNull(1) },
  retryAfterSeconds: { settles: 'U28', default: null, ...wholeOrNull(0) },
  lookupsPerSecond: {
    settles: 'Limits',
    default: 10,
    must: 'be a number from 0.001',
    accepts: (value) => typeof value === 'number' && value >= 0.001 && Number.isFinite(value),
  },
  tokenLifetimeSeconds: { settles: 'U27', default: null, ...wholeOrNull(1) },
  graphqlPath: {
    settles: 'U27',
    default: '/v1/graphql/',
    ...matching(/^\/[\w\-./]*$/, 'be a path that begins with /'),
  },
  tokenMutation: { settles: 'U27', default: 'obtainToken', ...matching(/^[A-Za-z_]\w*$/, 'be a GraphQL name') },
  apiKeyVariable: {
    settles: 'U27',
    default: 'input.apiKey',
    ...matching(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/, 'be GraphQL names joined by dots'),
  },
};

/** All settings: those that are given, the default for the others. Throws a TypeError for what cannot be meant. */
export function completeSettings(given: Partial<SandboxSettings>): SandboxSettings {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(SETTINGS, name));
  if (unknown !== undefined) {
    throw new TypeError(`createSandbox: no setting ${unknown}; there are ${Object.keys(SETTINGS).join(', ')}.`);
  }
  const entries = Object.entries(SETTINGS).map(([name, setting]) => {
    const value = given[name as keyof SandboxSettings] ?? setting.default;
    if (!setting.accepts(value)) {
      throw new TypeError(`createSandbox: setting ${name} must ${setting.must}, found ${String(value)}.`);
    }
    return [name, value];
  });
  return Object.fromEntries(entries) as SandboxSettings;
}

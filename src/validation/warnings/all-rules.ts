/**
 * Exports `WARNING_RULES`, all rules in the order of their findings. The sources in the rules' comments: `spec` is a chapter
 * of the API specification, `relatives` is the behaviour of services of the same family.
 */
import { ACCOUNT_RULES } from './account-rules.js';
import { FORM_AND_DUPLICATE_RULES } from './form-and-duplicate-rules.js';
import { TRANSACTION_AND_NUMBER_RULES } from './transaction-and-number-rules.js';
import { UNLISTED_VALUE_RULES } from './unlisted-value-rules.js';
import type { WarningRule } from './warning-rule.js';

export const WARNING_RULES: readonly WarningRule[] = [
  ...ACCOUNT_RULES,
  ...TRANSACTION_AND_NUMBER_RULES,
  ...FORM_AND_DUPLICATE_RULES,
  ...UNLISTED_VALUE_RULES,
];

/** Exports the warning rules for undocumented values. A comment names the source of each rule. */
import {
  ACCOUNT_TYPES,
  CONSENTS,
  CONTRACT_FREQUENCIES,
  DELAYER_STRATEGIES,
  FEE_TYPES,
  INSTRUCTION_TYPES,
  PAYMENT_TYPES,
  SCHEDULE_FREQUENCIES,
  SCHEDULE_MEANS,
  SUPPLY_POINT_INSTRUCTION_TYPES,
  SUPPLY_TYPES,
  TAX_TYPES,
  TAX_UNIT_TYPES,
  TRANSACTION_REASONS,
} from '../../../schemas/values.js';
import { VALUE_NEVER_SEEN } from '../profile.js';
import {
  ACCOUNT,
  at,
  BUSINESS_PAYMENT_INSTRUCTION,
  CUSTOMER,
  PAYMENT_INSTRUCTION,
  type Places,
  SCHEDULE,
  SUPPLY_POINT,
  TAX_ITEM,
  TERM,
  TRANSACTION,
} from './places.js';
import type { WarningRule } from './warning-rule.js';

/** Undocumented values that deployments of the same family accept. */
const ALSO_SEEN = {
  means: ['CARD', 'MANUAL', 'PAYMENT_SLIP'],
  frequencies: ['QUARTERLY', 'WEEKLY', 'FORTNIGHTLY', 'FOUR_WEEKLY', 'ANNUALLY', 'SIX_MONTHLY'],
  deceased: ['Reported', 'Confirmed', ''],
  feeTypes: ['WHOLE_MONTHS_REMAINING', 'WHOLE_DAYS_REMAINING'],
  strategies: ['WORKING_DAYS'],
};

export const UNLISTED_VALUE_RULES: readonly WarningRule[] = [
  // spec: Conventions (allowed values beyond those listed are not shown); relatives: values seen
  valueNeverSeen(ACCOUNT_TYPES, at([ACCOUNT, 'account_type'])),
  valueNeverSeen(SCHEDULE_FREQUENCIES, at([SCHEDULE, 'frequency']), ALSO_SEEN.frequencies),
  valueNeverSeen(SCHEDULE_MEANS, at([SCHEDULE, 'means']), ALSO_SEEN.means),
  // A documented value of one type of payment instruction is only "also seen" for the other.
  valueNeverSeen(SUPPLY_POINT_INSTRUCTION_TYPES, at([SUPPLY_POINT, 'payment_instructions.*.type']), INSTRUCTION_TYPES),
  valueNeverSeen(
    INSTRUCTION_TYPES,
    at([PAYMENT_INSTRUCTION, 'type'], [BUSINESS_PAYMENT_INSTRUCTION, 'type']),
    SUPPLY_POINT_INSTRUCTION_TYPES,
  ),
  valueNeverSeen([], at([CUSTOMER, 'deceased']), ALSO_SEEN.deceased),
  valueNeverSeen(TRANSACTION_REASONS, at([TRANSACTION, 'reason'])),
  valueNeverSeen(PAYMENT_TYPES, at([TRANSACTION, 'payment_type'])),
  valueNeverSeen(TAX_TYPES, at([TAX_ITEM, 'tax_type'])),
  valueNeverSeen(TAX_UNIT_TYPES, at([TAX_ITEM, 'unit_type'])),
  valueNeverSeen(FEE_TYPES, at([TERM, 'fee_type']), ALSO_SEEN.feeTypes),
  valueNeverSeen(CONTRACT_FREQUENCIES, at([TERM, 'frequency']), ALSO_SEEN.frequencies),
  valueNeverSeen(DELAYER_STRATEGIES, at([TERM, 'strategy']), ALSO_SEEN.strategies),
  // Documented only for supply points.
  valueNeverSeen([], at([TERM, 'supply_type']), SUPPLY_TYPES),
  // spec: Account payload, consent_data
  {
    code: 'consent_never_seen',
    at: at([SUPPLY_POINT, 'consent_data']),
    detail: `Documented: ${CONSENTS.join(', ')}; this name may be misspelt.`,
    fields: (consents) => Object.keys(consents).filter((name) => !CONSENTS.includes(name as 'ELEC_CURVES')),
    listed: CONSENTS,
  },
];

/** Returns a rule for undocumented values. `listed`: documented values; `alsoSeen`: values that relatives accept. */
function valueNeverSeen(listed: readonly string[], places: Places, alsoSeen: readonly string[] = []): WarningRule {
  const known = [...listed, ...alsoSeen];
  return {
    code: VALUE_NEVER_SEEN,
    at: places,
    detail: `Seen so far: ${known.filter(Boolean).join(', ')}. Others may be right, and may be misspelt.`,
    text: (value) => !known.includes(value),
    ...(listed.length > 0 && { listed }),
  };
}

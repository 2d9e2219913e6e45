/** A business with its contract first, then an account that is linked to the contract. */
import type { BusinessPayload } from 'data-import-sdk';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { startSandbox } from './sandbox-client.js';

const { client, stop } = await startSandbox();

const business: BusinessPayload = {
  import_supplier_code: SANDBOX_SUPPLIER,
  external_business_identifier: 'BUS-1',
  business: {
    business_type: 'COMPANY',
    company_name: 'Boulangerie Arbois (invented)',
    siret: '73282932000074',
    business_contracts: [
      {
        identifier: 'CONTRACT-1',
        signed_at_date: '2025-05-20',
        valid_from_date: '2025-06-01',
        versions: [
          {
            applicable_at_date: '2025-06-01',
            terms: [
              { term_type: 'DELAYER_DAYS', strategy: 'FIXED', days: 14 },
              { term_type: 'TERMINATION_FEE', amount: 150, supply_type: 'ELECTRICITY', fee_type: 'FLAT' },
            ],
          },
        ],
      },
    ],
  },
};
const { service_business_id } = await client.businesses.create(business);
console.log('business created:', Number.isInteger(service_business_id));

await client.accounts.stage({
  external_account_number: 'A-1',
  import_supplier: SANDBOX_SUPPLIER,
  account_type: 'BUSINESS',
  business: { siret: '73282932000074', business_contract_identifier: 'CONTRACT-1' },
});
const imported = await client.accounts.process({
  external_account_number: 'A-1',
  import_supplier_code: SANDBOX_SUPPLIER,
  operations_team_name: SANDBOX_TEAM,
});
console.log('account:', imported.callOutcome);

const instruction = await client.businesses.createPaymentInstruction({
  import_supplier_code: SANDBOX_SUPPLIER,
  external_business_identifier: 'BUS-1',
  vendor: 'VENDOR-1',
  reference: 'CARD-77',
  type: 'CARD',
  accounts: [{ external_account_number: 'A-1' }],
});
console.log('payment instruction:', instruction.reference);
await stop();

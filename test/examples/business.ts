/** A business with every documented field (document: Business payload). Its contract is the one of `businessAccount`. */
import type { BusinessPayload } from '../../schemas/index.js';
import { contract } from './contract.js';

export const business: BusinessPayload = {
  import_supplier_code: 'SANDBOX_SUPPLIER',
  external_business_identifier: 'BUSINESS-0001',
  business: {
    business_type: 'COMPANY',
    company_name: 'Boulangerie Exemple',
    siret: '12345678900006',
    details: [
      { key: 'naf_code', value: '1071C' },
      { key: 'vat_number', value: 'FR00123456789' },
    ],
    business_contracts: [contract],
  },
};

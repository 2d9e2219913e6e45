-- source customers: customers.csv, encoding windows-1252, delimiter ;
-- source addresses: addresses.csv, encoding windows-1252, delimiter ;
-- source meters: meters.csv, encoding windows-1252, delimiter ;
-- source contracts: contracts.csv, encoding windows-1252, delimiter ;
-- source transactions: transactions.csv, encoding windows-1252, delimiter ;
-- source notes: notes.csv, encoding windows-1252, delimiter ;
-- slices by numero
WITH
  points AS (
    SELECT numero, json_list({
      identifier: point, supply_type: CASE energie WHEN 'ELEC' THEN 'ELECTRICITY' WHEN 'GAZ' THEN 'GAS' ELSE energie END,
      supply_start_date: date_dmy(debut),
      payment_schedules: [{ amount: number_comma(mensualite), day_of_month: number_comma(jour), frequency: 'MONTHLY', means: 'DD', start_date: '2026-02-01' }],
      payment_instructions: [{ vendor: 'VENDOR-1', reference: mandat, type: 'DIRECT_DEBIT', valid_from: date_dmy(debut) }],
      agreements: [{ tariff_code: tarif, effective_from: date_dmy(debut) }]
    }) AS supply_points
    FROM meters GROUP BY numero),
  money AS (
    SELECT numero, json_list({
      transaction_id: id, type: type, transaction_date: date_dmy(date), amount: number_comma(montant), display_note: libelle,
      reason: CASE type WHEN 'CHARGE' THEN 'IMPORTED_CHARGE' WHEN 'CREDIT' THEN 'IMPORTED_CREDIT' END
    }) AS transactions
    FROM transactions GROUP BY numero),
  remarks AS (SELECT numero, json_list({ created_at: date_dmy(date) || 'T00:00:00Z', body: texte }) AS notes FROM notes GROUP BY numero)
SELECT {
    import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: entreprise,
    business: { business_type: 'COMPANY', company_name: min(raison_sociale), siret: min(siret),
      business_contracts: json_list({ identifier: contrat, signed_at_date: date_dmy(signature), valid_from_date: date_dmy(effet) }) }
  } AS business
FROM contracts GROUP BY entreprise
UNION ALL BY NAME
SELECT {
    external_account_number: c.numero, import_supplier: 'SANDBOX_SUPPLIER',
    account_type: CASE WHEN entreprise IS NOT NULL THEN 'BUSINESS' END,
    business: CASE WHEN entreprise IS NOT NULL THEN { business_type: 'COMPANY', business_contract_identifier: 'C' || substr(entreprise, 2) || '-1' } END,
    unknown_occupier: false,
    billing_address1: rue, billing_address2: complement, billing_address3: ville, billing_postcode: code_postal,
    customers: [{ title: titre, given_name: prenom, family_name: nom, email: email, mobile: phone_e164(mobile, 'FR'), landline: phone_e164(fixe, 'FR'), date_of_birth: date_dmy(naissance) }],
    supply_addresses: [{ supply_address1: rue, supply_address3: ville, supply_postcode: code_postal, customer_at_supply_address_from_date: date_dmy(depuis), supply_points: supply_points }]
  } AS account, money.transactions, remarks.notes
FROM (SELECT DISTINCT * FROM customers) c LEFT JOIN addresses USING (numero) LEFT JOIN points USING (numero)
  LEFT JOIN money USING (numero) LEFT JOIN remarks USING (numero)

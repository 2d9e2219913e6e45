-- source customers: customers.csv, encoding windows-1252, delimiter ;
-- source meters: meters.csv, encoding windows-1252, delimiter ;
-- source transactions: transactions.csv, encoding windows-1252, delimiter ;
WITH
  people AS (SELECT DISTINCT * FROM customers), -- some rows are there twice
  points AS (
    SELECT numero, json_list({
      identifier: point,
      supply_type: CASE energie WHEN 'ELEC' THEN 'ELECTRICITY' WHEN 'GAZ' THEN 'GAS' ELSE unreadable(energie) END,
      supply_start_date: date_dmy(debut)
    }) AS supply_points
    FROM meters GROUP BY numero),
  money AS (
    SELECT numero, json_list({
      transaction_id: id, transaction_date: date_dmy(date), amount: number_comma(montant), display_note: libelle,
      type: CASE type WHEN 'FACTURE' THEN 'CHARGE' WHEN 'AVOIR' THEN 'CREDIT' ELSE unreadable(type) END,
      reason: CASE type WHEN 'FACTURE' THEN 'IMPORTED_CHARGE' WHEN 'AVOIR' THEN 'IMPORTED_CREDIT' ELSE unreadable(type) END
    }) AS transactions
    FROM transactions GROUP BY numero)
SELECT {
    import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: siret,
    business: {
      business_type: 'COMPANY', company_name: min(raison_sociale), siret: siret,
      business_contracts: json_list({ identifier: contrat, signed_at_date: date_dmy(signature) }) }
  } AS business
FROM people WHERE type = 'PRO' GROUP BY siret
UNION ALL BY NAME
SELECT {
    import_supplier: 'SANDBOX_SUPPLIER', external_account_number: numero, unknown_occupier: false,
    account_type: CASE type WHEN 'PRO' THEN 'BUSINESS' END,
    business: CASE type WHEN 'PRO' THEN { business_type: 'COMPANY', siret: siret, business_contract_identifier: contrat } END,
    billing_address1: adresse, billing_address3: ville, billing_postcode: code_postal,
    customers: [{ title: civilite, given_name: prenom, family_name: nom, email: courriel, mobile: phone_e164(mobile, 'FR'),
      date_of_birth: date_dmy(naissance) }],
    supply_addresses: [{ supply_address1: adresse, supply_address3: ville, supply_postcode: code_postal, supply_points: supply_points }]
  } AS account, transactions
FROM people LEFT JOIN points USING (numero) LEFT JOIN money USING (numero)

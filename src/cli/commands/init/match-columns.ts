/** Exports `matchColumns`, which finds the field of a record for each column of an export, by the name of the column. */

/** How the text of a cell becomes the value of a field. */
type ValueKind = 'text' | 'date' | 'phone' | 'supplyType';

export interface FieldOfExport {
  /** Path in the record, such as `account.customers.0.email`. */
  path: string;
  kind: ValueKind;
  /** Names of columns for it, in lower case, without accents, with spaces between words. The first that the export has is used. */
  names: readonly string[];
}

const CUSTOMER = 'account.customers.0';
const ADDRESS = 'account.supply_addresses.0';
const POINT = `${ADDRESS}.supply_points.0`;

/** English, French, German and Spanish names. Each field takes one column, in this order. */
export const FIELDS_OF_EXPORT: readonly FieldOfExport[] = [
  field(
    'account.external_account_number',
    'text',
    `
    external account number, account number, account no, account ref, account reference, account id, account,
    customer number, customer no, customer id, customer ref, client number, client no, client id, numero de compte,
    numero compte, n de compte, n compte, no de compte, no compte, compte, numero client, numero de client, n client,
    n de client, no client, no de client, id client, reference client, kundennummer, kunden nr, kundennr, kd nr, kdnr,
    numero de cliente, contract number, contract no, contract id, contract ref, contract reference, numero de contrat,
    numero contrat, n de contrat, n contrat, no de contrat, no contrat, reference contrat, vertragsnummer, vertrags nr,
    vertragsnr, numero de contrato, numero, id, contract, contrat, vertrag, contrato`,
  ),
  field(`${CUSTOMER}.title`, 'text', 'title, salutation, civilite, anrede, tratamiento'),
  field(`${CUSTOMER}.given_name`, 'text', 'given name, first name, firstname, forename, prenom, vorname, nombre'),
  field(
    `${CUSTOMER}.family_name`,
    'text',
    `
    family name, last name, lastname, surname, nom de famille, nom, nachname, apellidos, apellido, name`,
  ),
  field(
    `${CUSTOMER}.email`,
    'text',
    `
    email, e mail, email address, e mail address, courriel, adresse email, adresse e mail, mail, correo`,
  ),
  field(
    `${CUSTOMER}.mobile`,
    'phone',
    `
    mobile, mobile phone, mobile number, cell, cell phone, portable, telephone portable, telephone mobile, handy,
    movil, telephone, phone, phone number, tel, telefon, telefono`,
  ),
  field(`${CUSTOMER}.landline`, 'phone', 'landline, home phone, telephone fixe, fixe, festnetz, fijo'),
  field(
    `${CUSTOMER}.date_of_birth`,
    'date',
    `
    date of birth, dob, birth date, birthdate, birthday, date de naissance, date naissance, naissance, ne e le, ne le,
    geburtsdatum, fecha de nacimiento`,
  ),
  field(
    'account.billing_address1',
    'text',
    `
    billing address1, billing address, billing street, address1, address line 1, address line1, address, street,
    adresse de facturation, adresse facturation, adresse1, adresse 1, adresse, rue, strasse, direccion`,
  ),
  field(
    'account.billing_address2',
    'text',
    `
    billing address2, address2, address line 2, address line2, adresse2, adresse 2, complement d adresse,
    complement adresse, complement`,
  ),
  field(
    'account.billing_address3',
    'text',
    `
    billing address3, billing city, address3, city, town, ville, commune, ort, stadt, ciudad, poblacion`,
  ),
  field(
    'account.billing_postcode',
    'text',
    `
    billing postcode, postcode, post code, postal code, zip, zip code, code postal, cp, plz, postleitzahl,
    codigo postal`,
  ),
  field(
    'account.last_billed_to_date',
    'date',
    `
    last billed to date, last bill date, billed to, derniere facture, date derniere facture`,
  ),
  field(
    `${ADDRESS}.supply_address1`,
    'text',
    `
    supply address1, supply address, site address, adresse de livraison, adresse livraison, lieu de consommation`,
  ),
  field(`${ADDRESS}.supply_address2`, 'text', 'complement de livraison, complement livraison'),
  field(
    `${ADDRESS}.supply_address3`,
    'text',
    `
    supply address3, supply city, site city, ville de livraison, ville livraison`,
  ),
  field(
    `${ADDRESS}.supply_postcode`,
    'text',
    `
    supply postcode, site postcode, code postal de livraison, code postal livraison, cp livraison`,
  ),
  field(
    `${POINT}.identifier`,
    'text',
    `
    supply point, supply point id, meter point, metering point, point of delivery, pod, mpan, mprn, ean, cups, pdl,
    prm, pce, point de livraison, point, identifier, zahlpunkt, marktlokation, malo`,
  ),
  field(
    `${POINT}.supply_type`,
    'supplyType',
    `
    supply type, fuel, fuel type, energy, energy type, commodity, energie, type energie, type d energie, sparte,
    energia`,
  ),
  field(
    `${POINT}.supply_start_date`,
    'date',
    `
    supply start date, supply start, start date, contract start, date de debut, date debut, debut, date d entree,
    mise en service, lieferbeginn, fecha de inicio`,
  ),
];

/** `names`: separated by commas. */
function field(path: string, kind: ValueKind, names: string): FieldOfExport {
  return { path, kind, names: names.split(',').map((name) => name.trim()) };
}

export interface MatchedColumn {
  column: string;
  field: FieldOfExport;
}

export interface ColumnMatches {
  /** In the order of `FIELDS_OF_EXPORT`. */
  matched: readonly MatchedColumn[];
  /** Columns without a field, in the order of the export. */
  unmatched: readonly string[];
}

/** Returns the column of each field. A column is used once, and a field has one column at most. */
export function matchColumns(columns: readonly string[]): ColumnMatches {
  const left = new Map(columns.map((column) => [wordsOf(column), column]));
  const matched: MatchedColumn[] = [];
  for (const wanted of FIELDS_OF_EXPORT) {
    const own = wanted.path.split('.').at(-1)?.replaceAll('_', ' ') ?? '';
    const name = [own, ...wanted.names].find((candidate) => left.has(candidate));
    const column = name === undefined ? undefined : left.get(name);
    if (name === undefined || column === undefined) continue;
    left.delete(name);
    matched.push({ column, field: wanted });
  }
  return { matched, unmatched: columns.filter((column) => !matched.some((one) => one.column === column)) };
}

/** Returns a name in lower case, without accents, with one space between words: `n client` for `N° client`. */
function wordsOf(column: string): string {
  return column
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

/** Exports `headerRows`: names of columns in exports of energy suppliers, invented after the words of such programs, each with its field. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const LANGUAGES = ['fr', 'de', 'es', 'it', 'nl', 'en'] as const;

const ADDRESS = 'account.supply_addresses.0';
const POINT = `${ADDRESS}.supply_points.0`;

/** Fields by the labels of the files. `bh` and `sh` are house numbers, which belong to the line of the street. */
const FIELDS: Readonly<Record<string, string>> = {
  no: 'account.external_account_number',
  ti: 'account.customers.0.title',
  gn: 'account.customers.0.given_name',
  fn: 'account.customers.0.family_name',
  em: 'account.customers.0.email',
  mo: 'account.customers.0.mobile',
  la: 'account.customers.0.landline',
  // The only telephone number of a row.
  ph: 'account.customers.0.mobile',
  db: 'account.customers.0.date_of_birth',
  b1: 'account.billing_address1',
  bh: 'account.billing_address1',
  b2: 'account.billing_address2',
  b3: 'account.billing_address3',
  bp: 'account.billing_postcode',
  lb: 'account.last_billed_to_date',
  s1: `${ADDRESS}.supply_address1`,
  sh: `${ADDRESS}.supply_address1`,
  s2: `${ADDRESS}.supply_address2`,
  s3: `${ADDRESS}.supply_address3`,
  sp: `${ADDRESS}.supply_postcode`,
  ca: `${ADDRESS}.customer_at_supply_address_from_date`,
  pt: `${POINT}.identifier`,
  pe: `${POINT}.identifier`,
  pg: `${POINT}.identifier`,
  st: `${POINT}.supply_type`,
  sd: `${POINT}.supply_start_date`,
};

export interface HeaderColumn {
  name: string;
  /** undefined: `init` maps no such field. */
  path: string | undefined;
}

/** The rows of a language. The names of a row are separated by `|`, and each is followed by `=` and the label of its field. */
export function headerRows(language: (typeof LANGUAGES)[number]): HeaderColumn[][] {
  const file = fileURLToPath(new URL(`${language}.txt`, import.meta.url));
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const columns = line.split('|').map((column) => column.split('=') as [name: string, label?: string]);
    const hasBoth = ['pe', 'pg'].every((point) => columns.some(([, label]) => label === point));
    return columns.map(([name, label]) => {
      const path = label === undefined ? undefined : FIELDS[label];
      if (label !== undefined && path === undefined) throw new Error(`${language}: unknown label ${label} of ${name}`);
      return { name, path: hasBoth && label === 'pg' ? path?.replace('points.0', 'points.1') : path };
    });
  });
}

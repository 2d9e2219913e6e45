/** `writeExport(folder, accounts)`: six files of an invented supplier in Windows-1252, the same with each call; the query is customers.sql. */
import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NAMES = ['Gardelle', 'Estrelin', 'Müller', 'Lefèvre', 'Noël', 'Œuvrard', 'Dupré'];
const GIVEN = ['Célia', 'Hugo', 'Zoé', 'André', 'Inès', 'Loïc'];
const TYPES = ['CHARGE', 'CREDIT', 'PAYMENT', 'REPAYMENT'];

const pad = (number, width) => String(number).padStart(width, '0');
const key = (index) => `A-${pad(index, 8)}`;

/** Days first, from a day of 2024. */
function dateOf(days) {
  const at = new Date(Date.UTC(2024, 0, 1) + days * 86_400_000);
  return `${pad(at.getUTCDate(), 2)}/${pad(at.getUTCMonth() + 1, 2)}/${at.getUTCFullYear()}`;
}

/** ISO 8859-1 writes one byte a character; these two are at other places in Windows-1252. */
const windows1252 = (text) =>
  Buffer.from(
    text.replace(/[€Œ]/g, (character) => (character === '€' ? '\x80' : '\x8c')),
    'latin1',
  );

/** Returns the number of records that the query gives. */
export function writeExport(folder, accounts) {
  let seed = 42;
  const random = (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed >>> 8) % below;
  };
  const dates = Array.from({ length: 800 }, (_, day) => dateOf(day - 60));
  const births = Array.from({ length: 9000 }, (_, day) => dateOf(day - 26_000));
  const phone = (first) => `${first} ${pad(random(100), 2)} ${pad(random(100), 2)}`;
  const euros = (below) => `${random(below)},${pad(random(100), 2)}`;
  const businesses = Math.max(1, Math.floor(accounts / 100));
  const tables = {
    customers: [
      'numero;titre;prenom;nom;email;mobile;fixe;naissance;entreprise',
      (at) =>
        `${key(at)};${['Mme', 'M.', ''][random(3)]};${GIVEN[random(6)]};${NAMES[random(7)]};client.${at}@example.com;${phone('06 39 98')};${random(3) ? '' : phone('01 99 00')};${births[random(9000)]};${at % 50 === 0 ? `B-${pad(((at / 50) % businesses) + 1, 6)}` : ''}`,
    ],
    addresses: [
      'numero;rue;complement;ville;code_postal;depuis',
      (at) =>
        `${key(at)};${1 + random(99)} rue du Modèle;${random(4) ? '' : 'Étage 2'};Saint-Modèle;${pad(1000 + random(90_000), 5)};${dates[random(300)]}`,
    ],
    meters: [
      'numero;point;energie;debut;tarif;mensualite;jour;mandat',
      (at) =>
        `${key(at)};${pad(at, 14)};${random(4) ? 'ELEC' : 'GAZ'};${dates[random(300)]};FIX-2025;${euros(200)};${1 + random(28)};RUM-${at}`,
    ],
    transactions: [
      'numero;id;date;montant;type;libelle',
      (at) =>
        [1, 2]
          .map(
            (turn) => `${key(at)};T-${at}-${turn};${dates[random(600)]};${euros(500)};${TYPES[random(4)]};Solde en €`,
          )
          .join('\r\n'),
    ],
    notes: [
      'numero;date;texte',
      (at) => (at % 3 === 0 ? `${key(at)};${dates[random(600)]};Ancien contrat, réglé en €` : undefined),
    ],
  };
  for (const [name, [header, rowOf]] of Object.entries(tables)) {
    // 7919 is prime: the files are not in the order of the numbers.
    writeRows(join(folder, `${name}.csv`), header, accounts, (index) => rowOf(((index * 7919) % accounts) + 1));
  }
  writeRows(
    join(folder, 'contracts.csv'),
    'entreprise;raison_sociale;siret;contrat;signature;effet',
    businesses,
    (index) => {
      const at = index + 1;
      return `B-${pad(at, 6)};Boulangerie Noël & Fils ${at};${pad(at, 14)};C-${pad(at, 6)}-1;${dates[60]};${dates[90]}`;
    },
  );
  copyFileSync(fileURLToPath(new URL('./customers.sql', import.meta.url)), join(folder, 'customers.sql'));
  return accounts + businesses;
}

function writeRows(path, header, count, rowOf) {
  const file = openSync(path, 'w');
  let block = `${header}\r\n`;
  for (let index = 0; index < count; index++) {
    const row = rowOf(index);
    if (row !== undefined) block += `${row}\r\n`;
    if (block.length > 4e6) {
      writeSync(file, windows1252(block));
      block = '';
    }
  }
  writeSync(file, windows1252(block));
  closeSync(file);
}

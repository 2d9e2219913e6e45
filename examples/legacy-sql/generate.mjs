// Writes a messy export of an invented energy supplier: three related files in Windows-1252, with semicolons, decimal commas,
// days first, national telephone numbers, rows that are there twice, businesses, and some values that are wrong. Always the same.
// node generate.mjs <folder> [customers]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Writes customers.csv, meters.csv and transactions.csv into the folder. Returns how many rows each has. */
export function generate(folder, count = 3000) {
  let seed = 20_260_101;
  const random = (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed >>> 8) % below;
  };
  const one = (list) => list[random(list.length)];
  const pad = (number, width) => String(number).padStart(width, '0');
  const day = (year, span) => `${pad(1 + random(28), 2)}/${pad(1 + random(12), 2)}/${year + random(span)}`;
  const euros = (below) =>
    `${one(['', '', '', '1 '])}${pad(random(below), 3)},${pad(random(100), 2)}`.replace(/^0+(?=\d)/, '');
  const phone = () => ['06', '39', '98', pad(random(100), 2), pad(random(100), 2)].join(one([' ', '.', '-', '']));

  const customers = [
    'numero;type;raison_sociale;siret;civilite;prenom;nom;naissance;courriel;mobile;adresse;code_postal;ville;contrat;signature',
  ];
  const meters = ['numero;point;energie;debut;mensualite'];
  const transactions = ['numero;id;date;montant;type;libelle'];
  for (let index = 0; index < count; index++) {
    // 7919 is prime: the files are not in the order of the numbers.
    const at = ((index * 7919) % count) + 1;
    const number = `C-${pad(at, 6)}`;
    const isBusiness = at % 50 === 0;
    // Two accounts of a business share its SIRET.
    const siret = isBusiness ? siretOf(Math.ceil(at / 100)) : '';
    const name = isBusiness ? `Boulangerie Noël & Fils n° ${Math.ceil(at / 100)}` : '';
    const born = at % 250 === 7 ? '31/02/1980' : day(1940, 60);
    const mobileNumber = at % 300 === 11 ? '06 12' : random(5) === 0 ? '' : phone();
    const street = random(20) === 0 ? `"${random(99) + 1}, rue ""du"" Cœur"` : `${random(99) + 1} rue du Modèle`;
    const row = [
      number,
      isBusiness ? 'PRO' : 'PART',
      name,
      siret,
      one(['Mme', 'M.', '']),
      one(GIVEN),
      one(FAMILY),
      born,
      `client.${at}@example.com`,
      mobileNumber,
      street,
      pad(1000 + random(94_000), 5),
      'Saint-Modèle',
      isBusiness ? `K-${number}` : '',
      isBusiness ? day(2023, 2) : '',
    ];
    customers.push(row.join(';'));
    if (at % 60 === 0) customers.push(row.join(';'));
    meters.push(
      [number, pad(10_000_000_000_000 + at, 14), random(4) ? 'ELEC' : 'GAZ', day(2024, 2), euros(300)].join(';'),
    );
    if (random(10) === 0)
      meters.push([number, pad(20_000_000_000_000 + at, 14), 'GAZ', day(2024, 2), euros(300)].join(';'));
    for (let turn = 1; turn <= random(3); turn++) {
      transactions.push(
        [number, `T-${at}-${turn}`, day(2025, 1), euros(900), one(['FACTURE', 'AVOIR']), 'Solde en €'].join(';'),
      );
    }
  }
  mkdirSync(folder, { recursive: true });
  for (const [file, lines] of Object.entries({ customers, meters, transactions })) {
    writeFileSync(join(folder, `${file}.csv`), windows1252(`${lines.join('\r\n')}\r\n`));
  }
  return { customers: customers.length - 1, meters: meters.length - 1, transactions: transactions.length - 1 };
}

const GIVEN = ['Célia', 'Hugo', 'Zoé', 'André', 'Inès', 'Loïc'];
const FAMILY = ['Gardelle', 'Estrelin', 'Müller', 'Lefèvre', 'Noël', 'Œuvrard', 'Dupré'];

/** Fourteen digits whose last makes the check sum right. */
function siretOf(business) {
  const digits = `9999${String(business).padStart(5, '0')}0001`;
  const sum = [...digits].reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** Three characters lie elsewhere than in ISO 8859-1. */
function windows1252(text) {
  const places = { '€': '\x80', Œ: '\x8c', œ: '\x9c' };
  return Buffer.from(
    text.replace(/[€Œœ]/g, (character) => places[character]),
    'latin1',
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder = '.', count = '3000'] = process.argv;
  console.log(generate(folder, Number(count)));
}

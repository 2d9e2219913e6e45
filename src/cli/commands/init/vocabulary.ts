/**
 * Exports the words of column names in exports of energy suppliers, in English, French, German, Spanish, Italian and Dutch, and of some
 * programs (SAP, Salesforce, HubSpot). `match-columns.ts` interprets them.
 */

/** Words without a meaning here. */
export const ARTICLES =
  'de du des d l la le les del della dei di il lo el las los of the der die das dem den von vom van het op';

/**
 * Words that mean the same, by the word that stands for them in `NAMES`. Lower case, without accents; several words for one meaning are
 * separated by commas, and may have spaces.
 */
export const WORDS = {
  nr: 'n, no, nr, num, nro, numero, number, nummer, numer, nbr',
  id: 'id, identifiant, identificador, identificativo, identifier, ident, uid, identifikator',
  code: 'code, cod, codigo, codice, cle, clave, schluessel, schlussel',
  ref: 'ref, reference, referencia, referentie, referenz, rif, riferimento, matricule, matricola',
  account:
    'account, acct, acc, compte, cpte, konto, cuenta, conto, kundenkonto, rekening, vkont, vertragskonto, contractrekening, buchungskonto, rechnungskonto, contract account, compte contrat, cuenta contrato, conto contrattuale, debitor, debiteur, debiteuren, kontos, vertragskontos',
  client:
    'client, customer, cust, kunde, kunden, kd, k, cliente, klant, klanten, abonne, abonado, subscriber, abonnent, abnehmer, relatie, abonnee, rechnungsempfanger, utente, usager, consumer, member, anagrafico, partner',
  contract:
    'contract, contrat, vertrag, vertrags, contrato, contratto, agreement, poliza, dossier, expediente, fornitura codice',
  holder:
    'titulaire, titular, titolare, inhaber, kontoinhaber, vertragspartner, intestatario, contractant, holder, account holder, contact, kontakt, contacto, contatto, referente, person, persona, personne, primary, main, principal, prinzipal, anschlussnutzer, usuel, legal, preferred',
  title:
    'title, salutation, civilite, civ, anrede, tratamiento, tratam, aanhef, titel, titolo, titulo, titre, aanspreking, saludo, politesse, ttl, anr, titre civilite, mr mrs, mr ms, m mme, mme m, sr sra, sig sig ra, dhr mevr, appellativo, titolo cortesia, herr frau, name title, titel anrede, title code, mr mrs ms',
  given:
    'given name, first name, first names, first name s, firstname, forename, forenames, fname, prenom, prenoms, vorname, vornamen, vname, vorn, rufname, nombre pila, nombre, nombres, nombre s, nome, voornaam, voornamen, roepnaam, voorn, vornam, name first, vorname 1, given, first',
  family:
    'family name, last name, lastname, surname, lname, nom famille, nom patronymique, nachname, nname, nachn, familienname, zuname, apellidos, apellido, apellido s, primer apellido, 1 er apellido, apellido 1, cognome, achternaam, achtern, familienaam, name last, last, family',
  nom: 'nom, nom 1, nom raison sociale, nachname firma, cognome ragione sociale',
  name: 'name, naam, name 1',
  email:
    'email, e mail, mail, courriel, correo electronico, correo, correo e, emails, mel, courrier electronique, posta elettronica, messagerie, adresse electronique, smtp, emailadres, emailadresse, mailadresse, emailaddress, e mailadres, e mailadresse, e mailadressen',
  mob: 'mobile, mobil, mob, mobiel, mobiele, cell, cellulare, cel, celular, handy, gsm, portable, port, movil, mobilfunk, mobiltelefon, mobilephone, cellphone, mobieltje, mobilnummern, 06',
  tel: 'tel, telefon, telephone, phone, telefono, telefoon, tlf, telf, tfno, tfn, tlfno, telefonico, ruf, recapito telefonico',
  fix: 'fixe, fijo, fisso, vast, vaste, festnetz, landline, domicile tel, privat, prive, home, casa, thuis, particular, dayphone, day',
  birth:
    'birth date, birthdate, birthday, dob, d o b, date birth, birth dt, birthdt, birth, date naissance, date naiss, dt naiss, date nais, naissance, ne, ne e, nee, geburtsdatum, geburtstag, geb datum, gebdat, gebdatum, geb am, geb, geboren am, geburtsd, geboortedatum, geb dat, geboren, geboorte, fecha nacimiento, f nacimiento, fecha nac, nacimiento, data nascita, dt nascita, nascita, nato, nato a, data nascita cliente',
  addr: 'address, domicile, domicilio, addr, adresse, adr, anschrift, direccion, dir, indirizzo, ind, adres, adresregel, addresse',
  street:
    'street, st name, street name, strasse, str, rue, voie, nom voie, libelle voie, calle, via, nombre via, via publica, straat, straatnaam, strassenname, via piazza, street address',
  house:
    'house number, house no, house nr, haus nr, hausnummer, hausnr, haus nummer, hnr, h nr, house num 1, nr rue, nr voie, nr civico, nr civico, n civico, huis nr, huisnummer, huisnr, civico, nr civico, nr via',
  line: 'line, ligne, lig, linea, riga, zeile, regel, ligne adr',
  extra:
    'complement, complement adresse, complement adr, compl, complemento, complemento direccion, adresszusatz, zusatz, presso, adrzusatz, locality',
  city: 'city, town, post town, ville, commune, localite, bureau distributeur, ort, stadt, wohnort, gemeinde, ciudad, poblacion, localidad, loc, municipio, citta, comune, com, localita, plaats, woonplaats, stad, gemeente, plaatsnaam, wnpl, lib commune, city 1, towncity',
  zip: 'postcode, post code, postal code, zip, zip code, zipcode, p code, code postal, code post, cod post, cp, c p, npa, plz, postleitzahl, codigo postal, cod postal, c postal, cap, c a p, codice postale, postc, pc, postnummer, post code 1, post nr',
  date: 'date, dt, datum, fecha, f, data',
  start:
    'start, debut, deb, effet, effect, effective from, eff from, beginn, inicio, ingang, aanvang, inizio, decorrenza, begin, activation, attivazione, activacion, alta, mes, mise en service, ingangs, startdatum, begindatum, ingangsdatum, effet contrat, entrada en vigor, efecto, go live, from, prima attivazione, lieferbeginn, lieferstart, belieferungsbeginn, vertragsbeginn, beginndatum, leveringsdatum, lieferdatum, souscription effet',
  movein:
    'move in, movein, emmenagement, entree, entree lieux, entree dans lieux, einzug, einzugs, einzugsdatum, einzdat, inhuis, inhuizing, inhuisdatum',
  billed:
    'billed to, last billed to, last bill, last billed, last invoice, billed until, derniere facture, derniere facturation, facture jusqu au, letzte abrechnung, letzte rechnung, abgerechnet bis, abgerechnet, ultima factura, facturado hasta, ultima fattura, fatturato fino al, laatste factuur, gefactureerd tot, ultima fatturazione',
  elec: 'electricity, electric, electrique, electricite, elec, strom, electricidad, luz, energia elettrica, elettrico, elettricita, luce, elektriciteit, elektra, stroom, elek, import',
  gas: 'gas, gaz, gas natural, erdgas, aardgas',
  energy:
    'fuel, fuel type, energy, energy type, commodity, supply type, service type, energie, type energie, nature energie, type fluide, fluide, energieart, sparte, medium, energietraeger, energietrager, energia, tipo energia, tipo suministro, energia contratada, tipo fornitura, tipo commodity, vettore energetico, fluido, energietype, energiesoort, soort energie, strom gas, strom oder gas, stroom gas, energie e g, gas elec, division energie, secteur energie, utility type, utility',
  meterpoint:
    'supply point, meter point, metering point, point delivery, delivery point, service point, supply number, meterpoint, point livraison, point comptage, point mesure, point, pod, ean, EANcode, cups, pdl prm, pdl pce, zahlpunkt, zaehlpunkt, zahlpkt, zahlpunktbezeichnung, zaehlpunktbezeichnung, zpb, messpunkt, marktlokation, marktlokations, marktlokationsidentifikations, malo, MaLo, punto suministro, codigo universal punto suministro, punto prelievo, punto fornitura, punto, mpxn, MPxN, mpan mprn, pod pdr, ext ui, esi, aansluitpunt, leveringspunt, point reference',
  elecpoint: 'mpan, pdl, prm, point reference mesure, rae, mpan core, prm enedis, pdl enedis',
  gaspoint: 'pce, pdr, gprn, point comptage estimation, point comptage et estimation, punto riconsegna, pce grdf',
  mprn: 'mprn, meter point reference, meter point reference number',
  billing:
    'billing, bill, invoice, facturation, fact, facture, facturacion, factura, fiscal, rechnung, rechnungs, fatturazione, fatt, fattura, factuur, facturatie, correspondence, correspondance, korrespondenz, correspondencia, correspondentie, mailing, postal, postale',
  'billing addr':
    'rechnungsadresse, rechnungsanschrift, factuuradres, facturatieadres, korrespondenzadresse, correspondentieadres, postadres, postanschrift, recapito, residenza',
  supply:
    'supply, site, service, svc, premise, premises, property, installation, livraison, consommation, conso, cons, fourniture, branchement, site consommation, point livraison adresse, lieferung, liefer, lieferstelle, verbrauchsstelle, abnahmestelle, entnahmestelle, objekt, suministro, sum, fornitura, forn, sede fornitura, utenza, consegna, levering, leverings, verbruiks, verbruiksplaats, verbruik, aansluiting, aansluit',
  'supply addr':
    'lieu consommation, lugar suministro, lieferadresse, lieferanschrift, leveringsadres, verbruiksadres, aansluitadres, emplazamiento, ubicazione',
  'client nr': 'knr, kdnr',
  'bank nr':
    'kontonummer, konto nr, rekeningnummer, rekening nr, bankkonto, cuenta bancaria, conto corrente, ccc, nr compte bancaire, compte bancaire, bank account',
  and: 'and, und, et, y, en',
} as const;

/**
 * Beginnings of compound words, as they are in German and Dutch: `rechnungsplz` is `rechnungs plz`, `hausnummer` is `haus nummer`.
 */
export const COMPOUNDS = {
  first:
    'rechnungs, liefer, leverings, levering, factuur, facturatie, verbruiks, aansluit, kunden, klant, klanten, vertrags, contract, mobil, mobiltelefon, telefon, telefoon, mobile, handy, festnetz, mobilfunk, relatie, debiteur, debiteuren, abnehmer, abonnee, dossier, partner, gsm, ean, zahlpunkt, privat, rekening, strassen, tel, kd, klanten, zip, marktlokations, verbrauchsstellen, account, marktlokationsidentifikations, vertragskonto, konto',
  last: 'nummer, nr, number, id, naam, name, adres, adresse, anschrift, code, datum, no',
} as const;

/** What a column is, with its names in the words above. The first names fit best. */
export const NAMES = {
  number: [
    'external account nr, external account id, account nr, nr account, nr account client, nr account cliente, account client, client account, client account nr, billing account nr, legacy account nr, account ref, account id, id account, ref account, account reference, nr account contract, account contract nr, account contract, account contract ref, account',
    'client nr, nr client, nr client lieferant, external client nr, externe client nr, extern client nr, nr client externe, client nr lieferant, client nr leverancier, client nr supplier, client id, id client, external client id, id client externe, id client esterno, client ref, ref client, client ref nr, client code, code client, client nr external, client',
    'contract nr, nr contract, contract ref, ref contract, contract id, id contract, code contract, contract code, contract',
    'external id, externe nr, old system id, old id, legacy id, uniqueid, unique id, nr utenza, utenza, code supply, code fornitura, nr, id, ref, code',
  ],
  title: ['title'],
  given: ['given'],
  family: ['family, nom, family nom, name family', 'name'],
  email: ['email, addr email, email addr, email 1, addr email, tel email, email nr, email address, email anschrift'],
  mobile: [
    'mob, mob tel, tel mob, mob nr, nr mob, tel mob nr, mob tel nr, nr tel mob, mob 1, tel nr mob, nr mob tel, mob phone',
  ],
  landline: [
    'fix, fix tel, tel fix, fix nr, nr fix, tel domicile, fix tel nr, tel fix nr, tel nr fix, nr tel fix, tel landline',
  ],
  phone: ['tel, tel nr, nr tel, tel 1, 1 tel, tel number, tel primary, holder nr'],
  birth: ['birth, birth dd mm yyyy'],
  line1: [
    'addr 1, addr line 1, line 1, line addr 1, addr, street, addr street, street addr, domicile, domicilio, addr and house, street and house, street and nr, street house, addr e house, residence, property addr, street 1',
  ],
  line2: ['addr 2, addr line 2, line 2, line addr 2, extra, addr extra, street 2, addr 2 line'],
  house: ['house, nr house, house nr, nr street'],
  city: ['city, addr city, city city'],
  zip: ['zip, addr zip, zip zip'],
  billed: ['billed, billed date, date billed, billed to date, date ultima billing'],
  point: [
    'meterpoint, meterpoint id, meterpoint nr, nr meterpoint, id meterpoint, code meterpoint, meterpoint code, ref meterpoint, meterpoint ref, supply id, code supply point, supply nr, meterpoint 18, meterpoint 20, code meterpoint aansluiting, meterpoint code supply, meterpoint supply, meterpoint id nr',
  ],
  elecPoint: [
    'elecpoint, meterpoint elecpoint, elecpoint id, id elecpoint, nr elecpoint, elecpoint nr, ref elecpoint, code elecpoint, elec meterpoint, meterpoint elec, elec elecpoint, elecpoint elec, meterpoint code elec, meterpoint id elec, code meterpoint elec, meterpoint nr elec, elecpoint core',
  ],
  /** Gas in Great Britain; electricity in Ireland, where a GPRN is gas. */
  mprn: ['mprn, mprn id, mprn nr, gas mprn, mprn gas'],
  gasPoint: [
    'gaspoint, gaspoint id, id gaspoint, nr gaspoint, gaspoint nr, ref gaspoint, code gaspoint, gas meterpoint, meterpoint gas, gas gaspoint, gaspoint gas, meterpoint code gas, meterpoint id gas, code meterpoint gas, meterpoint nr gas, meterpoint gaspoint',
  ],
  supplyType: [
    'energy, energy elec gas, elec gas, product elec gas, producto elec gas, service elec gas, servizio elec gas, energy gas',
  ],
  start: [
    'supply start, supply start date, start supply, date start supply, start date supply, date start, start date, date start contract, start date contract, contract start, contract start date, start contract, start, date supply start, date start date, supply date, supply date von, supply from, service start date, start date date, start date levering, date start date levering, start elec',
  ],
  moveIn: ['movein, movein date, date movein'],
} as const;

/** Words added to the name of a person or an address: whose it is. */
export const FILLERS = ['client', 'holder', 'contract', 'account'];

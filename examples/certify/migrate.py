"""Imports JSON Lines. It survives kills and lost answers: `npx data-import-sdk certify -- python3 migrate.py`."""
import fcntl, http.client, json, os, sys, time, urllib.error, urllib.request

BASE = os.environ['DATA_IMPORT_BASE_URL'] + '/v1/data-import/'
TOKEN, TEAM = os.environ['DATA_IMPORT_TOKEN'], os.environ['DATA_IMPORT_TEAM']
GRACE, TIMEOUT = float(os.environ['DATA_IMPORT_IN_FLIGHT_GRACE']), float(os.environ['DATA_IMPORT_TIMEOUT'])
JOURNAL = os.path.join(os.environ['DATA_IMPORT_RUN'], 'journal')


class Left(Exception):
    """This record is not finished; the others are imported all the same."""


journal_file = open(JOURNAL, 'a+', encoding='utf-8')
try:
    fcntl.flock(journal_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    sys.exit('The script is running already.')
journal_file.seek(0)
# A line without an end was being written when the script was killed.
journal = {line.rstrip('\n') for line in journal_file if line.endswith('\n')}


def note(event):
    """Stores an event on disk, before the next step."""
    journal.add(event)
    journal_file.write('\n' + event + '\n')
    journal_file.flush()
    os.fsync(journal_file.fileno())


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {'Authorization': 'Token ' + TOKEN, 'Content-Type': 'application/json'}
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(BASE + path, data, headers), timeout=TIMEOUT) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors='replace')
            if error.code == 429:
                time.sleep(float(error.headers.get('Retry-After') or 1))
            elif error.code == 400 and '"service_account_number"' in text:  # Already imported.
                return None
            elif error.code == 401:
                sys.exit('The token has ended.')
            else:
                raise Left('%s: %d' % (path, error.code))
        except (OSError, ValueError, http.client.HTTPException):
            raise Left('%s: no answer' % path)


def repeatable(event, path, body):
    """The service recognises a repetition, but not while the first request still runs."""
    if 'done ' + event in journal:
        return
    if 'sent ' + event in journal:
        time.sleep(GRACE)
    note('sent ' + event)
    call(path, body)
    note('done ' + event)


def once(event, path, body):
    """The service does not recognise a repetition: a request without an answer is not sent again."""
    if 'done ' + event in journal:
        return
    if 'sent ' + event in journal:
        raise Left(event + ' is unknown: ask the operator')
    note('sent ' + event)
    call(path, body)
    note('done ' + event)


def create(number, account):
    supplier = account['import_supplier']
    if 'sent process ' + number in journal:
        time.sleep(GRACE)
        state = call('account-transfer-status/%s/%s/' % (supplier, number))
        if state['status'] != 'UNKNOWN':
            if not state['service_account_number']:
                raise Left('process %s has not ended' % number)
            return
    call('account-import-process/create-or-update/', account)
    note('sent process ' + number)
    call('account-import-process/process/', {
        'external_account_number': number, 'import_supplier_code': supplier, 'operations_team_name': TEAM})


def import_account(record):
    account = record['account']
    number = account['external_account_number']
    owner = {'import_supplier': account['import_supplier'], 'external_account_number': number}
    if 'done process ' + number not in journal:
        create(number, account)
        note('done process ' + number)
    for name, path in (('notes', 'notes/create/'), ('transactions', 'transactions/create/')):
        if name in record:
            repeatable('%s %s' % (name, number), path, {**owner, name: record[name]})
    if 'statements' in record:
        once('statements ' + number, 'historical-statements/create/', {**owner, 'statements': record['statements']})
    if 'payment_instruction' in record:
        once('instruction ' + number, 'payment-instruction/create/', {**owner, **record['payment_instruction']})


left = 0
with open(os.environ['DATA_IMPORT_INPUT'], encoding='utf-8') as lines:
    for line in lines:
        record = json.loads(line)
        try:
            if 'business' in record:
                once('business ' + record['business']['external_business_identifier'], 'business/', record['business'])
            else:
                import_account(record)
        except Left as reason:
            left += 1
            print(reason)
print('%d records are left.' % left if left else 'All records are imported.')
sys.exit(1 if left else 0)
